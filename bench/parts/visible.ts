import { setTimeout as pass } from 'node:timers/promises';
import { generationNames, itemsAlias } from '@vitrine/feed-index';
import { eventually } from '../../test/support/service-process.ts';
import type { Arena } from '../arena.ts';
import { createEventsTopic, type EventsTopic, type LogRecord, listingId, priceChange, snapshot, titleChange } from '../listing-log.ts';
import { startProjector } from '../processes.ts';
import type { PartResult } from '../results.ts';
import { quantile, rounded } from '../statistics.ts';

const LISTINGS = 5_000;
const EVENTS_PER_SECOND = 500;
const SECONDS = 30;
const WARM_UP_SECONDS = 5;
const TICK_MS = 20;
/** One event of each tick is waited for; the others keep the projector as busy as the rate says. */
const EVENTS_A_TICK = (EVENTS_PER_SECOND * TICK_MS) / 1_000;
const LOOK_EVERY_MS = 25;
const REFRESH_INTERVAL_MS = 1_000;

/** How long it takes from publishing an event until a search finds what it says, at a steady 500 events a second. */
export async function visible(arena: Arena): Promise<PartResult> {
  const { KAFKA_BROKERS, ELASTICSEARCH_URL } = arena.engines.settings;
  const name = `bench-${process.pid}-visible`;
  const topic = await createEventsTopic(KAFKA_BROKERS, name);
  const started = await startProjector({ KAFKA_BROKERS, ELASTICSEARCH_URL, LISTING_EVENTS_TOPIC: name, INDEX_PREFIX: name, CONSUMER_GROUP: name });
  const { items, states } = generationNames(name, 1);
  try {
    await topic.publish(Array.from({ length: LISTINGS }, (_, listing) => snapshot(listing, 1)));
    await eventually('every listing is visible', async () => (await arena.elasticsearch.count({ index: items })).count === LISTINGS, 60_000);
    const watch = new Watch(arena, itemsAlias(name));
    const looking = watch.run();
    await publishSteadily(topic, watch);
    await watch.end();
    await looking;
    const times = watch.times.slice((WARM_UP_SECONDS * 1_000) / TICK_MS);
    const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => Math.round(quantile(times, share))) as [number, number, number];
    return {
      rows: [
        {
          measure: `event to visible, p95, at ${EVENTS_PER_SECOND} events/s`,
          unit: 'ms',
          ours: p95,
          peer: { name: 'refresh interval', figure: REFRESH_INTERVAL_MS },
          ratio: rounded(p95 / REFRESH_INTERVAL_MS),
          target: { atMost: 2 },
        },
      ],
      figures: { p50, p95, p99, samples: times.length },
    };
  } finally {
    await started.stop();
    await arena.elasticsearch.indices.delete({ index: [items, states], ignore_unavailable: true });
    await topic.close();
  }
}

async function publishSteadily(topic: EventsTopic, watch: Watch): Promise<void> {
  const versions = new Map<number, number>();
  const version = (listing: number) => {
    const next = (versions.get(listing) ?? 1) + 1;
    versions.set(listing, next);
    return next;
  };
  const ticks = ((SECONDS + WARM_UP_SECONDS) * 1_000) / TICK_MS;
  const sent: Promise<void>[] = [];
  const start = performance.now();
  for (let tick = 0; tick < ticks; tick++) {
    await pass(Math.max(0, start + tick * TICK_MS - performance.now()));
    const title = `Visto ${tick}`;
    // Those that are waited for are the first listings, one a tick; the others are any of the rest.
    const others = Array.from({ length: EVENTS_A_TICK - 1 }, (_, i): LogRecord => {
      const listing = ticks + ((tick * 911 + i * 127) % (LISTINGS - ticks));
      return priceChange(listing, version(listing), 80 + (tick % 900));
    });
    watch.expect(listingId(tick), title);
    sent.push(topic.publish([titleChange(tick, version(tick), title), ...others]));
  }
  await Promise.all(sent);
}

/** Looks again and again for the titles that are to appear. */
class Watch {
  /** Milliseconds from publishing to finding, in the order of finding. */
  readonly times: number[] = [];
  readonly #arena: Arena;
  readonly #index: string;
  readonly #expected = new Map<string, { title: string; since: number }>();
  #ending = false;

  constructor(arena: Arena, index: string) {
    this.#arena = arena;
    this.#index = index;
  }

  expect(id: string, title: string): void {
    this.#expected.set(id, { title, since: performance.now() });
  }

  /** Resolves when all that was expected has appeared. @throws when that takes more than half a minute */
  async end(): Promise<void> {
    await eventually('every event is visible', async () => this.#expected.size === 0);
    this.#ending = true;
  }

  async run(): Promise<void> {
    for (; !this.#ending; await pass(LOOK_EVERY_MS)) {
      if (this.#expected.size === 0) continue;
      const { hits } = await this.#arena.elasticsearch.search<{ feed_item: { id: string; title: string } }>({
        index: this.#index,
        size: 1_000,
        track_total_hits: false,
        query: { terms: { id: [...this.#expected.keys()] } },
        _source: ['feed_item'],
      });
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
