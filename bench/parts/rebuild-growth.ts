import { generationNames } from '@vitrine/feed-index';
import type { StateDocument } from '@vitrine/projection/store';
import { inBatches } from '../batches.ts';
import type { BenchContext } from '../bench-context.ts';
import { datasetId } from '../dataset.ts';
import { bulkLines } from '../raw-bulk.ts';
import { liveListings, rebuild } from '../rebuild.ts';
import { compared } from '../results.ts';
import { rounded } from '../statistics.ts';

/** The rebuilds have this share of the items, so that each one is ten times as large as the previous one. */
const SHARES = [1 / 100, 1 / 10, 1];
/** A projector writes this number of states. The other states are copies of them. */
const TEMPLATES = 1_000;
const STATES_PER_REQUEST = 2_000;
const AT_LEAST = 0.8;

/** Measures `replay --from states` when the number of listings grows tenfold and hundredfold. */
export async function rebuildGrowth(context: BenchContext): Promise<void> {
  const live = await liveListings(context, TEMPLATES, 1);
  const { states } = generationNames(live.env.INDEX_PREFIX, 1);
  const templates = await readStates(context, states);
  let written = templates.length;
  let before: { count: number; rate: number } | undefined;
  for (const share of SHARES) {
    const count = Math.round(context.items * share);
    if (count <= written) continue;
    await context.step(`${count} states`, 120 + count / 2_000, () =>
      writeStates(context, states, templates, written, count),
    );
    written = count;
    const { generation, listingsPerSecond } = await context.step(
      `rebuild of ${count} listings`,
      240 + count / 1_000,
      () => rebuild(context, { env: live.env, documents: { length: count } }, ['--from', 'states']),
    );
    const { items } = generationNames(live.env.INDEX_PREFIX, generation);
    await context.elasticsearch.indices.refresh({ index: items });
    const found = await context.elasticsearch.count({ index: items });
    if (found.count !== count) throw new Error(`the rebuild of ${count} listings has ${found.count} items`);
    await context.command(live.env, ['prune', String(generation)]);
    const rate = rounded(listingsPerSecond);
    const measure = `replay --from states, ${count} listings`;
    context.report(
      [
        before === undefined
          ? { measure, unit: 'listings/s', ours: rate }
          : compared(
              measure,
              'listings/s',
              rate,
              { name: `${before.count} listings`, figure: before.rate },
              { target: { atLeast: AT_LEAST } },
            ),
      ],
      {},
    );
    before = { count, rate };
  }
}

async function readStates({ elasticsearch }: BenchContext, index: string): Promise<StateDocument[]> {
  await elasticsearch.indices.refresh({ index });
  const { hits } = await elasticsearch.search<StateDocument>({ index, size: TEMPLATES });
  return hits.hits.flatMap(({ _source }) => _source ?? []);
}

/** Writes states under the ids from one number up to another one. A state does not contain the id of its listing. */
async function writeStates(
  { elasticsearch, signal }: BenchContext,
  index: string,
  templates: readonly StateDocument[],
  from: number,
  to: number,
): Promise<void> {
  const numbers = function* () {
    for (let number = from; number < to; number++) yield number;
  };
  for (const batch of inBatches(numbers(), STATES_PER_REQUEST)) {
    signal.throwIfAborted();
    const lines = batch.map((number) =>
      bulkLines(datasetId(number), templates[number % templates.length] as StateDocument),
    );
    const { errors } = await elasticsearch.bulk({ index, operations: [lines.join('')] as never });
    if (errors) throw new Error('Elasticsearch rejected a state');
  }
  await elasticsearch.indices.refresh({ index });
}
