import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pass } from 'node:timers/promises';

/** One response under load: its status (0 = no response), its duration and its start, in milliseconds. */
export interface Sample {
  target: string;
  status: number;
  ms: number;
  at: number;
}

/** Sends a GET request over a keep-alive connection of `agent`, and discards the response body. */
export function sample(agent: Agent, origin: string, target: string): Promise<Sample> {
  const at = performance.now();
  const { promise, resolve } = Promise.withResolvers<Sample>();
  const end = (status: number) => resolve({ target, status, ms: performance.now() - at, at });
  request(`${origin}${target}`, { agent }, (response) => {
    response.resume();
    response.once('end', () => end(response.statusCode ?? 0)).once('error', () => end(0));
  })
    .once('error', () => end(0))
    .end();
  return promise;
}

/** Runs `clients` clients until `isOver`. Each client sends its next request when it has a response. */
export async function closedLoop(
  origin: string,
  clients: number,
  targets: () => string,
  isOver: () => boolean,
): Promise<Sample[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const samples: Sample[] = [];
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (!isOver()) samples.push(await sample(agent, origin, targets()));
    }),
  );
  agent.destroy();
  return samples;
}

const CONNECTIONS = 300;

/**
 * Sends requests at a fixed rate, independent of responses, until `isOver`. The function opens all
 * connections first, because a busy process accepts only one new connection per turn of its event loop
 * (libuv).
 * @param cheap the target of the requests that open the connections
 */
export async function openLoop(
  origin: string,
  perSecond: number,
  cheap: string,
  targets: () => string,
  isOver: () => boolean,
): Promise<Sample[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, maxFreeSockets: CONNECTIONS });
  await Promise.all(Array.from({ length: CONNECTIONS }, () => sample(agent, origin, cheap)));
  const given: Promise<Sample>[] = [];
  const start = performance.now();
  while (!isOver()) {
    const due = ((performance.now() - start) * perSecond) / 1_000;
    while (given.length < due) given.push(sample(agent, origin, targets()));
    await pass(5);
  }
  const samples = await Promise.all(given);
  agent.destroy();
  return samples;
}

export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(Math.floor(values.length * share), values.length - 1)] ??
  Number.NaN;

export const secondsFromNow = (seconds: number): (() => boolean) => {
  const end = performance.now() + seconds * 1_000;
  return () => performance.now() >= end;
};

/** Clients in a separate process. */
export type LoadOrders = { origin: string; seconds: number } & (
  | {
      /** Clients that read their responses, or clients that disconnect before the responses arrive. */
      kind: 'stay' | 'leave';
      clients: number;
      seed: number;
      /** Number of items in the feed. */
      items: number;
    }
  | {
      /** Requests at a fixed rate, independent of responses. */
      kind: 'open loop';
      perSecond: number;
      /** The target of the requests that open the connections. Their responses do not count. */
      cheap: string;
      target: string;
    }
);

/**
 * Sends requests from a separate process, so that the load delays neither the test nor other clients.
 * @param signal ends the load early
 * @returns the number of requests, and the responses. Clients that disconnect have no responses
 * @throws if the process ends with an error, or with an `AbortError` if `signal` aborts
 */
export async function loadFromProcess(
  orders: LoadOrders,
  signal?: AbortSignal,
): Promise<{ asked: number; samples: Sample[] }> {
  const program = join(import.meta.dirname, 'load-process.ts');
  const child = spawn(process.execPath, [program, JSON.stringify(orders)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    signal,
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (code !== 0) throw new Error(`the load ended with exit code ${code}`);
  return JSON.parse(output) as { asked: number; samples: Sample[] };
}
