import { setTimeout as sleep } from 'node:timers/promises';
import type { Status } from '../status/status.ts';
import { type StatusSample, sampleOf, withSample } from './status-samples.ts';

/** A source of the status that holds connections to both engines. */
export interface StatusSource {
  read(): Promise<Status>;
  close(): Promise<void>;
}

export interface WatchedStatus {
  /** Absent until the first successful poll. */
  status?: Status;
  /** Epoch milliseconds of the status. */
  at?: number;
  samples: readonly StatusSample[];
  /** The reason why the last poll failed, and the time of the first failure in epoch milliseconds. */
  failing?: { message: string; since: number };
}

const POLL_EVERY_MS = 2_000;
/** The interval without browsers. The charts then have fewer points. */
const IDLE_EVERY_MS = 10_000;
const IDLE_AFTER_MS = 30_000;

/**
 * Polls the status for all browsers. After a failure, it connects again, because a client may not recover from a
 * lost broker.
 */
export class StatusWatch {
  readonly #open: () => Promise<StatusSource>;
  readonly #stopped = new AbortController();
  readonly #ended: Promise<void>;
  #watched: WatchedStatus = { samples: [] };
  #source: StatusSource | undefined;
  #readAt = Date.now();
  #wake = new AbortController();

  /** @param open connects to both engines */
  constructor(open: () => Promise<StatusSource>) {
    this.#open = open;
    this.#ended = this.#keepPolling();
  }

  /** The latest status. Keeps the polls frequent. */
  get watched(): WatchedStatus {
    const wasIdle = Date.now() - this.#readAt > IDLE_AFTER_MS;
    this.#readAt = Date.now();
    if (wasIdle) this.#wake.abort();
    return this.#watched;
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#ended;
  }

  async #keepPolling(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      await this.#poll();
      const isIdle = Date.now() - this.#readAt > IDLE_AFTER_MS;
      this.#wake = new AbortController();
      await sleep(isIdle ? IDLE_EVERY_MS : POLL_EVERY_MS, undefined, {
        signal: AbortSignal.any([signal, this.#wake.signal]),
      }).catch(() => undefined);
    }
    await this.#disconnect();
  }

  async #poll(): Promise<void> {
    try {
      this.#source ??= await this.#open();
      const status = await this.#source.read();
      const at = Date.now();
      this.#watched = { status, at, samples: withSample(this.#watched.samples, sampleOf(status, at)) };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const since = this.#watched.failing?.since ?? Date.now();
      this.#watched = { ...this.#watched, failing: { message, since } };
      await this.#disconnect();
    }
  }

  async #disconnect(): Promise<void> {
    const source = this.#source;
    this.#source = undefined;
    await source?.close().catch(() => undefined);
  }
}
