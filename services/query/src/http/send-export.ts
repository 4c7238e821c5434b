import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { ExportOutcome } from '../telemetry/metrics.ts';

/** The client reads nothing, or too slowly. */
export class ClientStalled extends Error {
  constructor() {
    super('the client has stopped reading, or reads too slowly');
    this.name = 'ClientStalled';
  }
}

/** How slowly a client may read. */
export interface Pace {
  /** How long the client may take to read one piece, in milliseconds. */
  stallMs: number;
  /** How many bytes the client must read within `stallMs`. */
  minBytes: number;
}

/**
 * Sends a stream as fast as the client reads it. Node holds at most the piece that is being sent.
 * @throws ClientStalled; AbortError if `signal` aborts; any error of `content`. The response then has no end.
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
    // Only the time in which the service waited for the client counts, because a search can be slow too.
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
 * Waits until the operating system has taken the written bytes, or the end of the response.
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
