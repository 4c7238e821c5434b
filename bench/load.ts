import { Connection } from './connection.ts';
import { quantile } from './statistics.ts';

export interface LoadOptions {
  port: number;
  /** The bytes of the request of this number, counted over all connections. */
  request: (number: number) => Buffer;
  connections: number;
  seconds: number;
  /** What counts as answered. */
  status: number;
  /** What may be answered beside it, and counts as refused. */
  refusals?: readonly number[];
}

export interface LoadResult {
  /** Of those that were not refused, as all that follows. */
  requestsPerSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** The share of the time in which this process, that makes the load, was at work; near 1 it is the limit itself. */
  generatorBusy: number;
  requests: number;
  refused: number;
}

/**
 * Load by a fixed number of connections, each of which sends its next request when it has its answer.
 * @throws when any answer has another status
 */
export async function load({ port, request, connections, seconds, status, refusals = [] }: LoadOptions): Promise<LoadResult> {
  const pool = Array.from({ length: connections }, () => new Connection(port));
  const times: number[] = [];
  let number = 0;
  let refused = 0;
  const busy = process.cpuUsage();
  const start = performance.now();
  const end = start + seconds * 1_000;
  try {
    await Promise.all(
      pool.map(async (connection) => {
        for (let before = performance.now(); before < end; ) {
          const answer = await connection.send(request(number++));
          const after = performance.now();
          if (answer.status === status) times.push(after - before);
          else if (refusals.includes(answer.status)) refused++;
          else throw new Error(`answered ${answer.status}: ${answer.body.toString().slice(0, 500)}`);
          before = after;
        }
      }),
    );
  } finally {
    for (const connection of pool) connection.close();
  }
  const took = performance.now() - start;
  const { user, system } = process.cpuUsage(busy);
  return {
    requestsPerSecond: times.length / (took / 1_000),
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    generatorBusy: (user + system) / 1_000 / took,
    requests: times.length,
    refused,
  };
}
