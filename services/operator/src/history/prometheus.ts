import { failureReason } from '@vitrine/runtime/elasticsearch';
import type { Point } from './series.ts';

/** The series that Prometheus has, under the names of the console's charts. */
export type PrometheusSeries = Record<'applied' | 'lagRecords' | 'lagSeconds', Point[]>;

const LIVE = 'and on (generation) max by (generation) (projector_generation_info{role="live"})';

/** While a projector writes two generations, it counts each record twice. */
const QUERIES: Readonly<Record<keyof PrometheusSeries, (step: number) => string>> = {
  applied: (step) => `sum(rate(projector_records_total[${Math.max(60, step * 2)}s]))`,
  lagRecords: () => `sum(max by (generation, partition) (projector_lag_records) ${LIVE})`,
  lagSeconds: (step) => `max(max by (generation) (max_over_time(projector_lag_seconds[${step}s])) ${LIVE})`,
};

const TIMEOUT_MS = 5_000;
/** A response for 24 hours has 288 points, so it takes about 10 KB. */
const MAX_BYTES = 1024 * 1024;
/** Every browser receives all points, and draws them. */
const MAX_POINTS = 1_000;

/** Queries a Prometheus server that collects the metrics of this deployment's projectors. */
export class Prometheus {
  readonly #base: URL;
  readonly #headers: Record<string, string> = {};

  /** @param address the server's address, with the path prefix, the user and the password, if it has them */
  constructor(address: string) {
    this.#base = new URL(address.endsWith('/') ? address : `${address}/`);
    const { username, password } = this.#base;
    if (username === '') return;
    // fetch refuses a URL with credentials.
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    this.#headers.Authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
    this.#base.username = '';
    this.#base.password = '';
  }

  /**
   * Reads the series for a period.
   * @param from epoch milliseconds
   * @param every milliseconds between two points
   * @throws Error if the server does not respond within 5 s, refuses a query, or sends something else. Its
   * message contains neither the server's address nor its credentials
   */
  async read(from: number, to: number, every: number): Promise<PrometheusSeries> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const step = every / 1_000;
    const names = Object.keys(QUERIES) as (keyof PrometheusSeries)[];
    const series = await Promise.all(
      names.map(async (name) => [name, await this.#range(QUERIES[name](step), { from, to, step }, signal)]),
    );
    return Object.fromEntries(series) as PrometheusSeries;
  }

  async #range(
    query: string,
    { from, to, step }: { from: number; to: number; step: number },
    signal: AbortSignal,
  ): Promise<Point[]> {
    const url = new URL('api/v1/query_range', this.#base);
    const parameters = {
      query,
      start: from / 1_000,
      end: to / 1_000,
      step,
      timeout: `${TIMEOUT_MS / 1_000}s`,
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, String(value));
    const response = await fetch(url, { headers: this.#headers, redirect: 'error', signal }).catch(
      (error: unknown) => {
        throw new Error(reasonOf(error));
      },
    );
    const text = await boundedText(response).catch((error: unknown) => {
      throw new Error(reasonOf(error));
    });
    if (!response.ok) throw new Error(`HTTP status ${response.status}`);
    const points = pointsOf(text);
    if (points.length > MAX_POINTS) throw new Error(`the answer has more than ${MAX_POINTS} points`);
    return points;
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError')
    return `no answer within ${TIMEOUT_MS / 1_000} s`;
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return (cause as { code?: string }).code ?? failureReason(cause);
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error(`the answer has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

interface Matrix {
  data: { result: { values: [number, string][] }[] };
}

/** Reads the only series in a response. A response without a series means that there is no such metric. */
function pointsOf(text: string): Point[] {
  try {
    const { data } = JSON.parse(text) as Matrix;
    const [{ values } = { values: [] }] = data.result;
    return values.flatMap(([at, value]) =>
      Number.isFinite(Number(value)) ? [{ at: Math.round(at * 1_000), value: Number(value) }] : [],
    );
  } catch {
    throw new Error('the response is not from Prometheus');
  }
}
