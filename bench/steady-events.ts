import { generationNames } from '@vitrine/feed-index';
import type { BenchContext } from './bench-context.ts';
import type { EventsTopic } from './events-topic.ts';
import { type LogRecord, listingId, priceChange, snapshot, titleChange } from './listing-events.ts';
import { pause } from './time-limit.ts';

const LISTINGS = 5_000;
export const EVENTS_PER_SECOND = 500;
const SECONDS = 30;
const WARM_UP_SECONDS = 5;
const TICK_MS = 20;
/** The part times one event in each tick. The other events create the rest of the load. */
const EVENTS_PER_TICK = (EVENTS_PER_SECOND * TICK_MS) / 1_000;
const POLL_MS = 25;

/**
 * Starts a separate deployment with a projector and its first listings. @returns its topic and its settings
 */
export async function startSteadyMarket(context: BenchContext, name: string) {
  const topic = await context.eventsTopic(name);
  context.ownIndices(`${name}-*`);
  const settings = context.deployment(name);
  await context.projector(settings);
  const { items } = generationNames(name, 1);
  await context.step(`first events of ${LISTINGS} listings`, 90, async () => {
    await topic.publish(Array.from({ length: LISTINGS }, (_, listing) => snapshot(listing, 1)));
    while ((await context.elasticsearch.count({ index: items })).count < LISTINGS)
      await pause(100, context.signal);
  });
  return { topic, settings };
}

/**
 * Publishes 500 events per second for 35 s, and times until `look` finds the new titles.
 * @returns milliseconds from publishing to finding, without the first 5 s
 */
export async function timeToFind(context: BenchContext, topic: EventsTopic, look: Look): Promise<number[]> {
  const watch = new TitleWatch(look, context.signal);
  await context.step(`${EVENTS_PER_SECOND} events/s`, 120, () =>
    Promise.all([watch.run(), publishSteadily(context, topic, watch)]),
  );
  return watch.times.slice((WARM_UP_SECONDS * 1_000) / TICK_MS);
}

/** Publishes 500 events per second until the signal aborts. */
export async function publishUntil(
  topic: EventsTopic,
  isOver: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  const start = performance.now();
  for (let tick = 0; !isOver(); tick++) {
    await pause(Math.max(0, start + tick * TICK_MS - performance.now()), signal);
    await topic.publish(
      Array.from({ length: EVENTS_PER_TICK }, (_, i) =>
        priceChange((tick * EVENTS_PER_TICK + i) % LISTINGS, 2 + tick, 80 + (tick % 900)),
      ),
    );
  }
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

/** Returns listings that a reader sees now. @param ids the expected listings */
export type Look = (ids: string[]) => Promise<Iterable<{ id: string; title: string }>>;

/** Looks repeatedly for the expected titles. */
class TitleWatch {
  /** Milliseconds from publishing to finding, in the order of finding. */
  readonly times: number[] = [];
  readonly #look: Look;
  readonly #signal: AbortSignal;
  readonly #expected = new Map<string, { title: string; since: number }>();
  #isLast = false;

  constructor(look: Look, signal: AbortSignal) {
    this.#look = look;
    this.#signal = signal;
  }

  expect(id: string, title: string): void {
    this.#expected.set(id, { title, since: performance.now() });
  }

  /** Must be called after the last expected title. */
  endWhenComplete(): void {
    this.#isLast = true;
  }

  /** Resolves after `endWhenComplete` was called, as soon as all expected titles are found. */
  async run(): Promise<void> {
    for (; !this.#isLast || this.#expected.size > 0; await pause(POLL_MS, this.#signal)) {
      const found = await this.#look([...this.#expected.keys()]);
      const now = performance.now();
      for (const { id, title } of found) {
        const expected = this.#expected.get(id);
        if (expected === undefined || expected.title !== title) continue;
        this.times.push(now - expected.since);
        this.#expected.delete(id);
      }
    }
  }
}
