import { generationNames, itemsAlias } from '@vitrine/feed-index';
import type { BenchContext } from '../bench-context.ts';
import type { EventsTopic } from '../events-topic.ts';
import { type LogRecord, listingId, priceChange, snapshot, titleChange } from '../listing-events.ts';
import { quantile, rounded } from '../statistics.ts';
import { pause } from '../time-limit.ts';

const LISTINGS = 5_000;
const EVENTS_PER_SECOND = 500;
const SECONDS = 30;
const WARM_UP_SECONDS = 5;
const TICK_MS = 20;
/** The part times one event of each tick. The other events create the rest of the load. */
const EVENTS_PER_TICK = (EVENTS_PER_SECOND * TICK_MS) / 1_000;
const POLL_MS = 25;
const REFRESH_INTERVAL_MS = 1_000;

/**
 * Measures the time from publishing an event until a search finds its content, at a steady 500 events per
 * second.
 */
export async function visible(context: BenchContext): Promise<void> {
  const name = `bench-${process.pid}-visible`;
  const topic = await context.eventsTopic(name);
  context.ownIndices(`${name}-*`);
  await context.projector(context.deployment(name));
  const { items } = generationNames(name, 1);
  await context.step(`first events of ${LISTINGS} listings`, 90, async () => {
    await topic.publish(Array.from({ length: LISTINGS }, (_, listing) => snapshot(listing, 1)));
    while ((await context.elasticsearch.count({ index: items })).count < LISTINGS)
      await pause(100, context.signal);
  });
  const watch = new TitleWatch(context, itemsAlias(name));
  await context.step(`${EVENTS_PER_SECOND} events/s`, 120, () =>
    Promise.all([watch.run(), publishSteadily(context, topic, watch)]),
  );
  const times = watch.times.slice((WARM_UP_SECONDS * 1_000) / TICK_MS);
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => Math.round(quantile(times, share))) as [
    number,
    number,
    number,
  ];
  context.report(
    [
      {
        measure: `event to visible, p95, at ${EVENTS_PER_SECOND} events/s`,
        unit: 'ms',
        ours: p95,
        peer: { name: 'refresh interval', figure: REFRESH_INTERVAL_MS },
        ratio: rounded(p95 / REFRESH_INTERVAL_MS),
        target: { atMost: 2 },
      },
    ],
    { p50, p95, p99, samples: times.length },
  );
}

async function publishSteadily(
  { signal }: BenchContext,
  topic: EventsTopic,
  watch: TitleWatch,
): Promise<void> {
  const versions = new Map<number, number>();
  const nextVersion = (listing: number) => {
    const next = (versions.get(listing) ?? 1) + 1;
    versions.set(listing, next);
    return next;
  };
  const ticks = ((SECONDS + WARM_UP_SECONDS) * 1_000) / TICK_MS;
  const sent: Promise<void>[] = [];
  const start = performance.now();
  for (let tick = 0; tick < ticks; tick++) {
    await pause(Math.max(0, start + tick * TICK_MS - performance.now()), signal);
    const title = `Visto ${tick}`;
    // The first listings are timed, one per tick. The other events change the remaining listings.
    const others = Array.from({ length: EVENTS_PER_TICK - 1 }, (_, i): LogRecord => {
      const listing = ticks + ((tick * 911 + i * 127) % (LISTINGS - ticks));
      return priceChange(listing, nextVersion(listing), 80 + (tick % 900));
    });
    watch.expect(listingId(tick), title);
    const publication = topic.publish([titleChange(tick, nextVersion(tick), title), ...others]);
    // The code below awaits the promise. Until then, a failure must not end the process.
    publication.catch(() => undefined);
    sent.push(publication);
  }
  await Promise.all(sent);
  watch.endWhenComplete();
}

/** Searches repeatedly for the expected titles. */
class TitleWatch {
  /** Milliseconds from publishing to finding, in the order of finding. */
  readonly times: number[] = [];
  readonly #context: BenchContext;
  readonly #index: string;
  readonly #expected = new Map<string, { title: string; since: number }>();
  #isLast = false;

  constructor(context: BenchContext, index: string) {
    this.#context = context;
    this.#index = index;
  }

  expect(id: string, title: string): void {
    this.#expected.set(id, { title, since: performance.now() });
  }

  /** Must be called after the last expected title. */
  endWhenComplete(): void {
    this.#isLast = true;
  }

  /** Resolves after the call of `endWhenComplete`, as soon as all expected titles are found. */
  async run(): Promise<void> {
    for (; !this.#isLast || this.#expected.size > 0; await pause(POLL_MS, this.#context.signal)) {
      if (this.#expected.size === 0) continue;
      const { hits } = await this.#context.elasticsearch.search<{ feed_item: { id: string; title: string } }>(
        {
          index: this.#index,
          size: 1_000,
          track_total_hits: false,
          query: { terms: { id: [...this.#expected.keys()] } },
          _source: ['feed_item'],
        },
      );
      const now = performance.now();
      for (const { _source } of hits.hits) {
        const expected = this.#expected.get(_source?.feed_item.id ?? '');
        if (expected === undefined || expected.title !== _source?.feed_item.title) continue;
        this.times.push(now - expected.since);
        this.#expected.delete(_source.feed_item.id);
      }
    }
  }
}
