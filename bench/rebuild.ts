import { generationNames, type ItemDocument, itemsIndexBody, registryIndex } from '@vitrine/feed-index';
import type { BenchContext } from './bench-context.ts';
import { rebuildEvents } from './listing-events.ts';
import { bulkLines, writeRaw } from './raw-bulk.ts';
import { pause } from './time-limit.ts';

const ITEMS_PER_READ = 1_000;
/**
 * The wait after the last listing appears. The number of listings does not show whether later events have
 * been applied.
 */
const SETTLE_MS = { oneEvent: 2_000, moreEvents: 10_000 };
/** Polling continues for this long after the command exits, so that the bench sees the ready generation. */
const AFTER_END_MS = 1_000;

/** Listings that a live projector has read from their own topic into their own indices. */
export interface LiveListings {
  /** Environment of the projector and of the command line. */
  readonly env: Readonly<Record<string, string>> & { readonly INDEX_PREFIX: string };
  /** The item documents as lines in a bulk request. */
  readonly documents: readonly string[];
  /** Stops the projector and deletes the indices. */
  stop(): Promise<void>;
}

/** Publishes the events, lets a projector apply them, and reads the resulting item documents. */
export async function liveListings(
  context: BenchContext,
  listings: number,
  eventsPerListing: number,
): Promise<LiveListings> {
  const prefix = `bench-${process.pid}-replay-${eventsPerListing}`;
  const env = context.deployment(prefix);
  const { items } = generationNames(prefix, 1);
  context.ownIndices(`${prefix}-*`);
  return context.step(
    `${listings} live listings of ${eventsPerListing} event(s)`,
    180 + (listings * eventsPerListing) / 300,
    async () => {
      const topic = await context.eventsTopic(prefix);
      await topic.publish(rebuildEvents(listings, eventsPerListing));
      const projector = await context.projector(env);
      while ((await context.elasticsearch.count({ index: items })).count < listings)
        await pause(500, context.signal);
      await pause(eventsPerListing > 1 ? SETTLE_MS.moreEvents : SETTLE_MS.oneEvent, context.signal);
      const documents: string[] = [];
      for await (const item of context.elasticsearch.helpers.scrollDocuments<ItemDocument>({
        index: items,
        size: ITEMS_PER_READ,
      }))
        documents.push(bulkLines(item.id, item));
      const stop = async () => {
        await projector.stop();
        await context.deleteIndices(`${prefix}-*`);
      };
      return { env, documents, stop };
    },
  );
}

/**
 * Runs `replay` with these arguments, and measures from the start of the command until the generation is
 * ready.
 */
export async function rebuild(
  context: BenchContext,
  { env, documents }: Pick<LiveListings, 'env'> & { documents: { readonly length: number } },
  args: readonly string[],
): Promise<{ generation: number; listingsPerSecond: number }> {
  const start = performance.now();
  let isOver = false;
  const done = context
    .command(env, ['replay', ...args])
    .finally(() => setTimeout(() => (isOver = true), AFTER_END_MS));
  const untilReady = async () => {
    for (; !isOver; await pause(100, context.signal)) {
      const { _source } = await context.elasticsearch.get<{
        registry: { generations: { number: number; phase: string }[] };
      }>({
        index: registryIndex(env.INDEX_PREFIX),
        id: 'registry',
      });
      const [, newest] = _source?.registry.generations ?? [];
      if (newest?.phase === 'ready') return { generation: newest.number, took: performance.now() - start };
    }
    throw new Error('the replay ended before its generation was ready');
  };
  const [{ generation, took }] = await Promise.all([untilReady(), done]);
  return { generation, listingsPerSecond: documents.length / (took / 1_000) };
}

/** Measures the documents per second that Elasticsearch indexes from prepared text. */
export async function rawBulk(context: BenchContext, { env, documents }: LiveListings): Promise<number> {
  const index = `${env.INDEX_PREFIX}-raw`;
  const seconds = await writeRaw(context, index, itemsIndexBody(), documents);
  await context.elasticsearch.indices.delete({ index });
  return documents.length / seconds;
}
