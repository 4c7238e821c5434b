import { checkIngestSettings, ingestSettings } from '@vitrine/ingest/settings';
import { checkTopics } from '@vitrine/kafka';
import { projectorSettings } from '@vitrine/projection/settings';
import { schema as querySettings, readQuerySettings } from '@vitrine/query/settings';
import { readSettings } from '@vitrine/runtime/settings';
import { npmCommand } from '@vitrine/test/service-process';
import { expect } from 'chai';

/** The settings of the projector and of the command line. */
export const PROJECTOR = Object.keys(projectorSettings.properties);
export const INGEST = Object.keys(ingestSettings.properties);
export const QUERY = Object.keys(querySettings.properties);
/** The services' ports by name. */
export const PORTS = {
  projector: { admin: 8082 },
  ingest: { admin: 8083 },
  query: { http: 8080, admin: 8081 },
} as const;
export type Service = keyof typeof PORTS;
/** After this many seconds, `runService` ends a service that has not stopped. */
export const STOP_SECONDS = 20;
export const MIB = 1024 ** 2;
/** A size of Compose (`m`, `g`) or Kubernetes (`Mi`, `Gi`) in bytes. */
export const bytes = (text: string): number => {
  const [, amount, unit = ''] = /^(\d+)(m|g|Mi|Gi)$/.exec(text) ?? [];
  if (amount === undefined) throw new Error(`${text} is not a size`);
  return Number(amount) * ({ m: MIB, g: 1024 * MIB, Mi: MIB, Gi: 1024 * MIB }[unit] ?? 0);
};
/** The heap that a service's own flags allow, plus memory for the cache, buffers and code. */
export const neededBytes = (service: Service): number => {
  const flag = (name: string): number =>
    Number(new RegExp(`--${name}=(\\d+)`).exec(npmCommand(service).join(' '))?.[1]) * MIB;
  const cache =
    service === 'query' ? readQuerySettings({ ELASTICSEARCH_URL: 'http://e:9200' }).cacheBytes : 0;
  return flag('max-old-space-size') + 3 * flag('max-semi-space-size') + cache + 128 * MIB;
};
/** Fails if a name is not a setting, a required setting is missing, or a value is invalid. */
export const expectSettings = (
  service: Service,
  env: Record<string, string>,
  known: readonly string[],
): void => {
  expect(known, 'settings that the service does not read').to.include.members(Object.keys(env));
  if (service === 'projector') readSettings(projectorSettings, env, checkTopics);
  else if (service === 'ingest') readSettings(ingestSettings, env, checkIngestSettings);
  else readQuerySettings(env);
};
