import { itemsAlias } from '@vitrine/feed-index';
import type { BenchContext } from '../bench-context.ts';
import { compared } from '../results.ts';
import { percentiles } from '../statistics.ts';
import { EVENTS_PER_SECOND, startSteadyMarket, timeToFind } from '../steady-events.ts';

const REFRESH_INTERVAL_MS = 1_000;

/**
 * Measures the time from publishing an event until a search finds its content, at a steady 500 events per
 * second.
 */
export async function visible(context: BenchContext): Promise<void> {
  const name = `bench-${process.pid}-visible`;
  const { topic } = await startSteadyMarket(context, name);
  const times = await timeToFind(context, topic, async (ids) => {
    if (ids.length === 0) return [];
    const { hits } = await context.elasticsearch.search<{ feed_item: { id: string; title: string } }>({
      index: itemsAlias(name),
      size: 1_000,
      track_total_hits: false,
      query: { terms: { id: ids } },
      _source: ['feed_item'],
    });
    return hits.hits.flatMap(({ _source }) => (_source ? [_source.feed_item] : []));
  });
  const found = percentiles(times);
  context.report(
    [
      compared(
        `event to visible, p95, at ${EVENTS_PER_SECOND} events/s`,
        'ms',
        found.p95,
        { name: 'refresh interval', figure: REFRESH_INTERVAL_MS },
        { target: { atMost: 2 } },
      ),
    ],
    { ...found, samples: times.length },
  );
}
