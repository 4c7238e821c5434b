import { compareAsyncApi, compareEventSchemas } from './compare-events.ts';
import { compareOpenApi } from './compare-openapi.ts';
import { compareTools } from './compare-tools.ts';
import type { Finding } from './finding.ts';
import type { JsonObject } from './flat-schema.ts';

/** The public interfaces of a release, by their file names in the release's folder of docs/reference/releases. */
export type Interfaces = { readonly [file: string]: JsonObject };

const COMPARISONS: Record<string, (old: JsonObject, now: JsonObject) => Finding[]> = {
  'openapi.json': compareOpenApi,
  'listing-event.schema.json': compareEventSchemas,
  'asyncapi.json': compareAsyncApi,
  'agent-tools.json': compareTools,
};

/**
 * The changes between two releases that break clients, producers or agents of the older one. An added
 * interface is no breaking change. Pure.
 * @throws if a document contains a reference that leads nowhere
 */
export function compareReleases(old: Interfaces, now: Interfaces): Finding[] {
  return Object.entries(COMPARISONS).flatMap(([file, compare]) => {
    const [before, after] = [old[file], now[file]];
    if (before === undefined) return [];
    if (after === undefined) return [{ at: file, change: 'the interface was removed' }];
    return compare(before, after).map(({ at, change }) => ({ at: `${file}, ${at}`, change }));
  });
}
