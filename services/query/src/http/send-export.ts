import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { ExportOutcome } from '../telemetry/metrics.ts';

/** The client has read nothing for too long. */
export class ClientStalled extends Error {
  constructor() {
    super('the client has stopped reading');
    this.name = 'ClientStalled';
  }
}

/**
 * Sends a stream as fast as the client reads it. Node holds at most the piece that is being sent.
 * @param stallMs how long the client may take to read one piece, in milliseconds
 * @throws ClientStalled; AbortError if `signal` aborts; any error of `content`. The response then has no end.
 */
export async function sendStream(
  response: ServerResponse,
  content: AsyncIterable<Buffer>,
  stallMs: number,
  signal: AbortSignal,
): Promise<void> {
  for await (const piece of content) {
    signal.throwIfAborted();
    if (!response.write(piece)) await taken(response, 'drain', stallMs, signal);
  }
  signal.throwIfAborted();
  const finished = taken(response, 'finish', stallMs, signal);
  response.end();
  await finished;
}

/** Waits until the operating system has taken the written bytes, or the end of the response. */
async function taken(
  response: ServerResponse,
  event: 'drain' | 'finish',
  stallMs: number,
  signal: AbortSignal,
): Promise<void> {
  const stalled = new AbortController();
  const timer = setTimeout(() => stalled.abort(), stallMs);
  try {
    await once(response, event, { signal: AbortSignal.any([signal, stalled.signal]) });
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
