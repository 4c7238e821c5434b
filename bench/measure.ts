import { get, type HttpConnection, type HttpRequest } from './http-connection.ts';
import { QUERY_KINDS, type QueryKind } from './query-kinds.ts';
import { quantile, rounded } from './statistics.ts';

/**
 * The duration of each process's warm-up, which sends all query types in turn. Node and Elasticsearch compile
 * code that runs often, so a request to a new process takes 50 % longer.
 */
const WARM_UP_MS = 10_000;
/** The number of unmeasured requests per kind and subject. */
const WARM_UP = 15;
const SAMPLES = 80;
/** A slow kind gets fewer samples, but at least this many. */
const FEWEST_SAMPLES = 7;
const LONGEST_MS = 16_000;
/**
 * The number of consecutive requests to one subject. There are fewer if they take longer than CONSECUTIVE_MS.
 * The requests are consecutive, because requests to other subjects displace the subject's data from the CPU
 * caches.
 */
const CONSECUTIVE = 10;
const CONSECUTIVE_MS = 1_000;

/** Sends the request with this number; resolves when the response is complete. */
export type Ask = (number: number) => Promise<unknown>;
/** Milliseconds. */
export interface Latency {
  p50: number;
  p95: number;
  samples: number;
}

export const latency = (ms: number[]): Latency => ({
  p50: rounded(quantile(ms, 0.5)),
  p95: rounded(quantile(ms, 0.95)),
  samples: ms.length,
});

/** The body of a response. @throws unless its status is 200 */
export async function bodyOf(connection: HttpConnection, request: HttpRequest): Promise<Buffer> {
  const { status, body } = await connection.send(request);
  if (status !== 200) throw new Error(`${request.path}: status ${status}: ${body.toString().slice(0, 500)}`);
  return body;
}

/** Sends requests of all kinds, or of the named kinds, in turn. Omits the slow kinds. */
export async function warmUp(
  connection: HttpConnection,
  target: (kind: QueryKind, number: number) => string,
  names?: ReadonlySet<string>,
): Promise<void> {
  const kinds = QUERY_KINDS.filter(({ name, slow }) => !slow && (names?.has(name) ?? true));
  const end = performance.now() + WARM_UP_MS;
  for (let number = 0; performance.now() < end; number++)
    for (const kind of kinds) await bodyOf(connection, get(target(kind, number)));
}

/**
 * Measures the latency of each subject, with one request at a time. The subjects take turns, with some
 * consecutive requests each. Each round begins with a different subject, because the second subject benefits
 * from the caches that the first subject has warmed.
 */
export async function measure<Name extends string>(
  asks: Partial<Record<Name, Ask>>,
): Promise<Partial<Record<Name, Latency>>> {
  const subjects = Object.entries(asks) as [Name, Ask][];
  const times = new Map<Name, number[]>(subjects.map(([name]) => [name, []]));
  const deadline = performance.now() + LONGEST_MS;
  const time = async (ask: Ask, number: number) => {
    const start = performance.now();
    await ask(number);
    return performance.now() - start;
  };
  const isWarmUp = (sample: number) => sample < WARM_UP && performance.now() < deadline - LONGEST_MS / 2;
  let slowest = 0;
  let number = 0;
  for (; isWarmUp(number); number++) {
    slowest = 0;
    for (const [, ask] of subjects) slowest = Math.max(slowest, await time(ask, number));
  }
  const consecutive = Math.min(Math.max(Math.floor(CONSECUTIVE_MS / slowest), 1), CONSECUTIVE);
  for (
    let sample = 0;
    sample < FEWEST_SAMPLES || (sample < SAMPLES && performance.now() < deadline);
    sample += consecutive, number += consecutive
  ) {
    const first = (sample / consecutive) % subjects.length;
    for (const [name, ask] of [...subjects.slice(first), ...subjects.slice(0, first)])
      for (let i = 0; i < consecutive; i++) times.get(name)?.push(await time(ask, number + i));
  }
  return Object.fromEntries([...times].map(([name, ms]) => [name, latency(ms)])) as Partial<
    Record<Name, Latency>
  >;
}
