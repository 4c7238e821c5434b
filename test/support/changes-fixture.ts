import type { Client } from '@elastic/elasticsearch';
import {
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
): Promise<void> {
  await client.indices.create({
    index: generationNames(prefix, generation).changes,
    ...changesIndexBody(),
    ...(epoch !== undefined && { aliases: { [changesEpochAlias(prefix, epoch)]: {} } }),
  });
}

/** Writes entries in this order, without a refresh. @param at epoch milliseconds */
export async function writeEntries(
  client: Client,
  prefix: string,
  generation: number,
  entries: readonly (readonly [id: string, state: ChangeState])[],
  at = Date.now(),
): Promise<void> {
  const index = generationNames(prefix, generation).changes;
  if (entries.length === 0) return;
  const { errors } = await client.bulk({
    operations: entries.flatMap(([id, state]) => [{ index: { _index: index, _id: id } }, { state, at }]),
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
