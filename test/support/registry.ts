import { type Registry, registryIndex } from '@vitrine/feed-index';
import type { Deployment } from './deployment.ts';

/** The current registry of a deployment. */
export async function registryOf({ client, prefix }: Deployment): Promise<Registry> {
  const { _source } = await client.get<{ registry: Registry }>({ index: registryIndex(prefix), id: 'registry' });
  if (!_source) throw new Error('the registry is empty');
  return _source.registry;
}
