import type { Client } from '@elastic/elasticsearch';
import { eventually } from './service-process.ts';

/**
 * Makes Elasticsearch forget the deletions that `remove` makes in an index. Afterwards it accepts older
 * versions of the deleted documents. A probe document proves it.
 */
export async function forgetDeletions(client: Client, index: string, remove: () => Promise<void>): Promise<void> {
  await client.indices.putSettings({ index, settings: { 'index.gc_deletes': '1s' } });
  const probe = (version: number) =>
    client.index({ index, id: 'probe', version, version_type: 'external', document: { id: 'probe', published_at: 0 } });
  await probe(4);
  await remove();
  await client.delete({ index, id: 'probe', version: 5, version_type: 'external' });
  await eventually('Elasticsearch forgets the deletions', async () => {
    await client.indices.refresh({ index });
    return probe(3).then(
      () => true,
      ({ statusCode }: { statusCode?: number }) => (statusCode === 409 ? false : Promise.reject(new Error(`answered ${statusCode}`))),
    );
  });
  await client.delete({ index, id: 'probe' });
  await client.indices.refresh({ index });
}
