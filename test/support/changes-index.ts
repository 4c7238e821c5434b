import type { Client } from '@elastic/elasticsearch';
import {
  type ChangeDetails,
  type ChangeEntry,
  type ChangeState,
  type ChangesHistory,
  changesEpochAlias,
  changesHistoryIndex,
  changesIndexBody,
  generationNames,
} from '@vitrine/feed-index';
import { updateChangesHistory } from '@vitrine/projection/generations';

/** Creates the changes index of a generation. @param epoch the live epoch, if the generation is live */
export async function createChangesIndex(
  client: Client,
  prefix: string,
  generation: number,
  epoch?: number,
  mapping?: number,
): Promise<void> {
  await client.indices.create({
    index: generationNames(prefix, generation).changes,
    ...changesIndexBody(mapping),
    ...(epoch !== undefined && { aliases: { [changesEpochAlias(prefix, epoch)]: {} } }),
  });
}

/** Writes entries in this order, without a refresh. @param at epoch milliseconds */
export async function writeEntries(
  client: Client,
  prefix: string,
  generation: number,
  entries: readonly (readonly [id: string, state: ChangeState, details?: Partial<ChangeDetails>])[],
  at = Date.now(),
): Promise<void> {
  const index = generationNames(prefix, generation).changes;
  if (entries.length === 0) return;
  const { errors } = await client.bulk({
    operations: entries.flatMap(([id, state, details]) => [
      { index: { _index: index, _id: id } },
      { state, at, ...details },
    ]),
  });
  if (errors) throw new Error('Elasticsearch rejected an entry');
}

export async function writeHistory(client: Client, prefix: string, history: ChangesHistory): Promise<void> {
  await updateChangesHistory(client, prefix, () => history);
}

/** Deletes all changes indices of generations 1 to 3, and the history. */
export async function deleteChanges(client: Client, prefix: string): Promise<void> {
  const indices = [1, 2, 3].map((number) => generationNames(prefix, number).changes);
  await client.indices.delete({
    index: [...indices, changesHistoryIndex(prefix)],
    ignore_unavailable: true,
  });
}

/** An entry of a changes index with its sequence number and version. */
export interface FoundEntry extends ChangeEntry {
  id: string;
  sequence: number;
  version: number;
}

/** All entries of a changes index, in the order of their sequence numbers. */
export async function entriesOf(client: Client, index: string): Promise<FoundEntry[]> {
  await client.indices.refresh({ index });
  const { hits } = await client.search<ChangeEntry>({
    index,
    size: 10_000,
    sort: [{ _seq_no: 'asc' }],
    seq_no_primary_term: true,
    version: true,
  });
  return hits.hits.map(({ _id, _source, _seq_no, _version }) => ({
    ...(_source as ChangeEntry),
    id: _id as string,
    sequence: _seq_no as number,
    version: _version as number,
  }));
}
