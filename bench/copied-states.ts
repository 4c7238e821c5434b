import { generationNames } from '@vitrine/feed-index';
import type { StateDocument } from '@vitrine/projection/store';
import { inBatches } from './batches.ts';
import type { BenchContext } from './bench-context.ts';
import { datasetId } from './dataset.ts';
import { bulkLines } from './raw-bulk.ts';
import { type LiveListings, liveListings } from './rebuild.ts';

/** A projector writes this number of states. The other states are copies of these states. */
const TEMPLATES = 1_000;
const STATES_PER_REQUEST = 2_000;

/**
 * Listing states. All but 1,000 are copies, because Elasticsearch writes copies faster than a projector
 * writes states.
 */
export interface CopiedStates {
  readonly env: LiveListings['env'];
  /** Writes copies until the index has this number of states. */
  grow(count: number): Promise<void>;
  /** Stops the projector and deletes the indices. */
  stop(): Promise<void>;
}

export async function copiedStates(context: BenchContext): Promise<CopiedStates> {
  const live = await liveListings(context, TEMPLATES, 1);
  const { states } = generationNames(live.env.INDEX_PREFIX, 1);
  const templates = await readStates(context, states);
  let written = templates.length;
  return {
    env: live.env,
    async grow(count) {
      await context.step(`${count} states`, 120 + count / 2_000, () =>
        writeStates(context, states, templates, written, count),
      );
      written = Math.max(written, count);
    },
    stop: live.stop,
  };
}

async function readStates({ elasticsearch }: BenchContext, index: string): Promise<StateDocument[]> {
  await elasticsearch.indices.refresh({ index });
  const { hits } = await elasticsearch.search<StateDocument>({ index, size: TEMPLATES });
  return hits.hits.flatMap(({ _source }) => _source ?? []);
}

/** Writes states under the ids from one number up to another. A state does not contain its listing's id. */
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
