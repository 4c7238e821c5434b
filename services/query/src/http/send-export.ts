import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Overloaded } from '../search/search-limiter.ts';
import type { ExportOutcome } from '../telemetry/metrics.ts';

/** The client reads nothing, or too slowly. */
export class ClientStalled extends Error {
  constructor() {
    super('the client has stopped reading, or reads too slowly');
    this.name = 'ClientStalled';
  }
}

/** The slowest pace at which a client may read. */
export interface Pace {
  /** How long the client may take to read one piece, in milliseconds. */
  stallMs: number;
  /** How many bytes the client must read within `stallMs`. */
  minBytes: number;
}

/** An export's client must read 16 KiB/s, and must not pause for 30 s. */
export const EXPORT_PACE: Pace = { stallMs: 30_000, minBytes: 30 * 16 * 1024 };

/**
 * Sends a stream as fast as the client reads it. Node holds at most the piece that is being sent.
 * @throws ClientStalled; AbortError if `signal` aborts; any error from `content`. The response then has no
 * end.
 */
export async function sendStream(
  response: ServerResponse,
  content: AsyncIterable<Buffer>,
  { stallMs, minBytes }: Pace,
  signal: AbortSignal,
): Promise<void> {
  let [bytes, waitedMs] = [0, 0];
  for await (const piece of content) {
    signal.throwIfAborted();
    bytes += piece.length;
    if (response.write(piece)) continue;
    waitedMs += await taken(response, 'drain', stallMs, signal);
    // Only the time during which the service waited for the client counts, because a search can be slow too.
    if (waitedMs < stallMs) continue;
    if (bytes < minBytes) throw new ClientStalled();
    [bytes, waitedMs] = [0, 0];
  }
  signal.throwIfAborted();
  const finished = taken(response, 'finish', stallMs, signal);
  response.end();
  await finished;
}

/**
 * Waits until the operating system has taken the written bytes, or until the response has ended.
 * @returns the milliseconds that this took
 */
async function taken(
  response: ServerResponse,
  event: 'drain' | 'finish',
  stallMs: number,
  signal: AbortSignal,
): Promise<number> {
  const start = performance.now();
  const stalled = new AbortController();
  const timer = setTimeout(() => stalled.abort(), stallMs);
  try {
    await once(response, event, { signal: AbortSignal.any([signal, stalled.signal]) });
    return performance.now() - start;
  } catch (error) {
    throw stalled.signal.aborted && !signal.aborted ? new ClientStalled() : error;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Returns why an export was not completed.
 * @param disconnected aborted if the client has disconnected
 * @param stopping aborted if the service is stopping
 */
export function exportOutcome(
  error: unknown,
  disconnected: AbortSignal,
  stopping: AbortSignal,
): ExportOutcome {
  if (error instanceof ClientStalled) return 'stalled';
  if (disconnected.aborted) return 'disconnected';
  return stopping.aborted ? 'stopped' : 'failed';
}

/** The limit on running exports is reached, or the client already has its share. */
export class TooManyExports extends Overloaded {
  /** Whether the client has its share. */
  readonly isOfClient: boolean;

  constructor(reason: string, isOfClient: boolean) {
    super(reason);
    this.isOfClient = isOfClient;
  }
}

/**
 * The exports that this process is sending. One client may have at most half of the limit, rounded up, so
 * that it cannot deny every export to the others. If the limit is one export, one client may have it.
 */
export class RunningExports {
  readonly #limit: number;
  readonly #byClient = new Map<string, number>();
  #running = 0;

  /** @param limit EXPORT_CONCURRENCY */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get running(): number {
    return this.#running;
  }

  /** Runs `send` as one of the exports for `client`. @throws TooManyExports; any error from `send` */
  async run(client: string, send: () => Promise<void>): Promise<void> {
    const own = this.#byClient.get(client) ?? 0;
    const share = Math.ceil(this.#limit / 2);
    if (own >= share) throw new TooManyExports(`the client already reads ${own} exports`, true);
    if (this.#running >= this.#limit)
      throw new TooManyExports(`${this.#limit} exports are already running`, false);
    this.#running++;
    this.#byClient.set(client, own + 1);
    try {
      await send();
    } finally {
      this.#running--;
      const left = (this.#byClient.get(client) ?? 1) - 1;
      if (left > 0) this.#byClient.set(client, left);
      else this.#byClient.delete(client);
    }
  }
}
