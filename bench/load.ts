import { HttpConnection, type HttpRequest } from './http-connection.ts';
import { quantile } from './statistics.ts';
import { within } from './time-limit.ts';

export interface LoadOptions {
  port: number;
  /**
   * Returns the request with this number, counted over all connections. An array holds requests to repeat.
   */
  request: ((number: number) => HttpRequest) | readonly HttpRequest[];
  connections: number;
  seconds: number;
  /** The expected status; 200 by default. */
  status?: number;
  /** Other statuses that the server may send. Responses with these statuses count as refused. */
  refusals?: readonly number[];
  /** Ends the load early when it aborts. */
  signal: AbortSignal;
  /** The load fails after this many milliseconds without a byte from the server. */
  requestTimeoutMs?: number;
}

/** The figures of a load. All figures except `refused` cover only responses with the expected status. */
export interface LoadResult {
  requestsPerSecond: number;
  /** Milliseconds. */
  p50: number;
  /** Milliseconds. */
  p99: number;
  /**
   * The share of the time during which this process, the load generator, used a CPU. If the share is near 1,
   * the load generator is the bottleneck.
   */
  generatorBusy: number;
  requests: number;
  refused: number;
}

/** How long the last responses may take after the end of the load, on a busy machine. */
const GRACE_SECONDS = 40;

/**
 * Closed-loop load: each of a fixed number of connections sends its next request after it has received a
 * response.
 * @throws if a response has another status, if the server stalls, or with the signal's reason when the signal
 *   aborts
 */
export async function load({
  port,
  request,
  connections,
  seconds,
  status = 200,
  refusals = [],
  signal,
  requestTimeoutMs,
}: LoadOptions): Promise<LoadResult> {
  const pool = Array.from({ length: connections }, () => new HttpConnection(port, requestTimeoutMs));
  const next =
    typeof request === 'function' ? request : (n: number) => request[n % request.length] as HttpRequest;
  const times: number[] = [];
  let number = 0;
  let refused = 0;
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  const end = start + seconds * 1_000;
  const sendAll = async (connection: HttpConnection): Promise<void> => {
    for (let before = performance.now(); before < end; ) {
      const response = await connection.send(next(number++));
      const after = performance.now();
      if (response.status === status) times.push(after - before);
      else if (refusals.includes(response.status)) refused++;
      else
        throw new Error(
          `status ${response.status} instead of ${status}: ${response.body.toString().slice(0, 500)}`,
        );
      before = after;
    }
  };
  try {
    await within(`load of ${seconds} s`, (seconds + GRACE_SECONDS) * 1_000, signal, () =>
      Promise.all(pool.map(sendAll)),
    );
  } finally {
    for (const connection of pool) connection.close();
  }
  const took = performance.now() - start;
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    requestsPerSecond: times.length / (took / 1_000),
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    generatorBusy: (user + system) / 1_000 / took,
    requests: times.length,
    refused,
  };
}
