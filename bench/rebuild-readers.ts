import { type BenchContext, UNCACHED } from './bench-context.ts';
import { get, type HttpConnection, type HttpRequest } from './http-connection.ts';
import { bodyOf } from './measure.ts';
import { type LiveListings, rebuild } from './rebuild.ts';
import { compared, type Row } from './results.ts';
import { quantile, rounded } from './statistics.ts';
import { pause } from './time-limit.ts';

const READS_PER_SECOND = 40;
const QUIET_MS = 20_000;
/**
 * The warm-up sends requests as fast as one connection allows, so that the services are warm before the
 * measurement.
 */
const WARM_UP_MS = 10_000;
/** The rate that an operator sets to protect the readers, in listings per second. */
const GENTLE = 1_500;
/** With an explicit rate, a rebuild does not slow down for readers. No rebuild reaches this rate. */
const UNBOUNDED = 1_000_000;
const AT_MOST = 3;
const REFUSED = 503;

interface Rebuild {
  name: string;
  args: readonly string[];
  atMost?: number;
}

/**
 * During the first rebuild, Elasticsearch compiles code for concurrent searching and indexing. That rebuild
 * therefore has no target.
 */
const REBUILDS: readonly Rebuild[] = [
  { name: 'the first replay beside readers', args: [] },
  { name: 'replay', args: [], atMost: AT_MOST },
  { name: 'replay --from states', args: ['--from', 'states'], atMost: AT_MOST },
  { name: `replay --rate ${GENTLE}`, args: ['--rate', String(GENTLE)], atMost: AT_MOST },
  { name: `replay at full speed (--rate ${UNBOUNDED})`, args: ['--rate', String(UNBOUNDED)] },
];

const pageRequest = (number: number): HttpRequest =>
  get(`/api/public-feed?pageSize=20&page=${1 + (number % 40)}`);

/**
 * Reports the 99th percentile latency of uncached pages at a fixed rate during rebuilds, relative to idle
 * times before and after.
 */
export async function readersDuringRebuilds(context: BenchContext, live: LiveListings): Promise<void> {
  const limitSeconds = 180 + live.documents.length / 200;
  const query = await context.query(live.env.INDEX_PREFIX, UNCACHED);
  const readers = new Readers(context, query.port);
  let before = await context.step('readers without a rebuild', 60, async () => {
    await readers.warmUp();
    return (await readers.quietly()).p99;
  });
  for (const each of REBUILDS) {
    const { p99, refused, listingsPerSecond } = await context.step(
      `readers during ${each.name}`,
      limitSeconds,
      () => readers.during(live, each.args),
    );
    const { p99: after } = await context.step('readers without a rebuild', 60, () => readers.quietly());
    const quiet = rounded((before + after) / 2);
    before = after;
    const measured = { p99, refused, quiet, listingsPerSecond };
    context.report([row(each, measured)], { [`readers during ${each.name}`]: measured });
  }
  await query.stop();
}

const row = (
  { name, atMost }: Rebuild,
  { p99, refused, quiet, listingsPerSecond }: Reads & { quiet: number; listingsPerSecond: number },
): Row =>
  compared(
    `p99 of the feed during ${name}`,
    'ms',
    p99,
    { name: 'without', figure: quiet },
    {
      ...(atMost !== undefined && { target: { atMost } }),
      note: `${rounded(listingsPerSecond)} listings/s meanwhile; ${refused} reads refused`,
    },
  );

/** Latency of the reads. A refused read counts with the time until its refusal. */
interface Reads {
  /** Milliseconds. */
  p99: number;
  /** The number of responses with 503, which an overloaded service sends. */
  refused: number;
}

/** Open-loop readers: they send requests at a fixed rate, whatever the response times are. */
class Readers {
  readonly #context: BenchContext;
  readonly #port: number;
  readonly #idle: HttpConnection[] = [];

  constructor(context: BenchContext, port: number) {
    this.#context = context;
    this.#port = port;
  }

  async warmUp(): Promise<void> {
    const connection = this.#context.connect(this.#port);
    const end = performance.now() + WARM_UP_MS;
    for (let number = 0; performance.now() < end; number++) await bodyOf(connection, pageRequest(number));
  }

  /** Measures reads while no rebuild runs. */
  quietly(): Promise<Reads> {
    const end = performance.now() + QUIET_MS;
    return this.#read(() => performance.now() > end);
  }

  /** Measures reads during a rebuild, and the rebuild's speed. */
  async during(live: LiveListings, args: readonly string[]): Promise<Reads & { listingsPerSecond: number }> {
    let isOver = false;
    const [{ generation, listingsPerSecond }, reads] = await Promise.all([
      rebuild(this.#context, live, args).finally(() => {
        isOver = true;
      }),
      this.#read(() => isOver),
    ]);
    await this.#context.command(live.env, ['prune', String(generation)]);
    return { ...reads, listingsPerSecond };
  }

  async #read(isOver: () => boolean): Promise<Reads> {
    const times: number[] = [];
    let refused = 0;
    const pending: Promise<void>[] = [];
    for (let number = 0; !isOver(); number++) {
      const reading = this.#readOnce(number).then(({ ms, isRefused }) => {
        times.push(ms);
        if (isRefused) refused++;
      });
      // The code below awaits the promise. Until then, a failure must not end the process.
      reading.catch(() => undefined);
      pending.push(reading);
      await pause(1_000 / READS_PER_SECOND, this.#context.signal);
    }
    await Promise.all(pending);
    return { p99: rounded(quantile(times, 0.99)), refused };
  }

  async #readOnce(number: number): Promise<{ ms: number; isRefused: boolean }> {
    const connection = this.#idle.pop() ?? this.#context.connect(this.#port);
    const start = performance.now();
    const { status } = await connection.send(pageRequest(number));
    const ms = performance.now() - start;
    this.#idle.push(connection);
    if (status !== 200 && status !== REFUSED) throw new Error(`status ${status} during a rebuild`);
    return { ms, isRefused: status === REFUSED };
  }
}
