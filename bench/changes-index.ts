import { changesEpochAlias, changesIndexBody, generationNames } from '@vitrine/feed-index';
import { inBatches } from './batches.ts';
import type { BenchContext } from './bench-context.ts';
import { datasetId } from './dataset.ts';

const EPOCH = 1;
const BULK_ENTRIES = 5_000;
/**
 * The age of the entries that this file writes. An export begins behind the entries from the last 30 s, so the
 * written entries are older.
 */
const AGE_MS = 3_600_000;

/** Creates the changes index of a dataset with one entry per item, unless it exists. */
export async function ensureChangesIndex(
  context: BenchContext,
  prefix: string,
  count: number,
): Promise<void> {
  const { elasticsearch } = context;
  const index = generationNames(prefix, 1).changes;
  if (await elasticsearch.indices.exists({ index })) return;
  await context.step(`changes of ${count} items`, 60 + count / 2_000, async () => {
    await elasticsearch.indices.create({
      index,
      ...changesIndexBody(),
      aliases: { [changesEpochAlias(prefix, EPOCH)]: {} },
    });
    await writeChanges(context, prefix, datasetIds(count));
  });
}

function* datasetIds(count: number): Generator<string> {
  for (let number = 0; number < count; number++) yield datasetId(number);
}

/** Writes an entry for each of these items. */
export async function writeChanges(
  { elasticsearch, signal }: BenchContext,
  prefix: string,
  ids: Iterable<string>,
): Promise<void> {
  const index = generationNames(prefix, 1).changes;
  const entry = { state: 'updated', at: Date.now() - AGE_MS };
  for (const batch of inBatches(ids, BULK_ENTRIES)) {
    signal.throwIfAborted();
    const operations = batch.flatMap((id) => [{ index: { _index: index, _id: id } }, entry]);
    const { errors } = await elasticsearch.bulk({ operations });
    if (errors) throw new Error('Elasticsearch rejected an entry');
  }
}
