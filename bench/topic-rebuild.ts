import { generationNames } from '@vitrine/feed-index';
import { readOffsets } from '@vitrine/kafka';
import { RULES } from '@vitrine/listing';
import { connect } from '@vitrine/operator';
import {
  createIndices,
  groupOf,
  startGenerationConsumer,
  versionsWith,
} from '@vitrine/projection/generations';
import { projectorSettings } from '@vitrine/projection/settings';
import { createLog } from '@vitrine/runtime/log';
import { readSettings } from '@vitrine/runtime/settings';
import type { BenchContext } from './bench-context.ts';
import { pricesOf } from './dataset.ts';
import { rebuildEvents } from './rebuild-events.ts';
import { pause } from './time-limit.ts';

const POLL_EVERY_MS = 50;

/**
 * Reads the topic into new indices of one items mapping. Returns listings per second until all are visible.
 */
export type RebuildInto = (itemsMapping: number) => Promise<number>;

/**
 * Publishes one event per listing, for rebuilds into different items mappings. A rebuild does what the phase
 * `projecting` of `replay` does, in the process of the bench, because `replay` builds only the newest
 * mapping.
 */
export async function topicRebuild(
  context: BenchContext,
  name: string,
  listings: number,
): Promise<RebuildInto> {
  const topic = await context.eventsTopic(name);
  await topic.publish(rebuildEvents(listings, 1, (listing) => pricesOf((listing % 10) / 10)));
  context.ownIndices(`${name}-*`);
  const settings = readSettings(projectorSettings, context.deployment(name));
  const { context: builder, close } = await connect(
    settings,
    RULES,
    createLog('bench', 'silent'),
    context.signal,
  );
  context.onEnd(close);
  let number = 0;
  return async (itemsMapping) => {
    const record = { number: ++number, versions: { ...versionsWith(RULES), items: itemsMapping } };
    const names = generationNames(name, number);
    await createIndices(builder.client, settings, names, record.versions, 'building');
    const start = performance.now();
    const consumer = await startGenerationConsumer(builder, record, { bulkLoad: true });
    try {
      const group = groupOf(settings.CONSUMER_GROUP, number);
      const isRead = async () =>
        (await readOffsets(builder.admin, group, name)).every(
          ({ end, committed }) => (committed ?? 0n) >= end,
        );
      while (!(await isRead())) await pause(POLL_EVERY_MS, context.signal);
      await builder.client.indices.refresh({ index: names.items });
      const seconds = (performance.now() - start) / 1_000;
      const { count } = await builder.client.count({ index: names.items });
      if (count !== listings) throw new Error(`the rebuild has ${count} of ${listings} items`);
      return listings / seconds;
    } finally {
      await consumer.stop();
      await context.deleteIndices(`${names.states},${names.items}`);
    }
  };
}
