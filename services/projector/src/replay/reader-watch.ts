import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import type { Log } from '@vitrine/runtime';

const LOOK_EVERY_MS = 500;
/** Fewer searches a second than this are somebody who tries something. */
const FEW = 2;

/** Whether the live items are searched now, by Elasticsearch's own count: pages that are answered from a cache are none. */
export class ReaderWatch {
  readonly #client: Client;
  readonly #alias: string;
  readonly #log: Log;
  readonly #stopped = new AbortController();
  #seen: { searches: number; at: number } | undefined;
  #reading = true;

  /** @param alias the readers' */
  constructor(client: Client, alias: string, log: Log) {
    this.#client = client;
    this.#alias = alias;
    this.#log = log;
    void this.#keepLooking();
  }

  /** Presumed until two looks have shown that nobody is there. */
  get reading(): boolean {
    return this.#reading;
  }

  stop(): void {
    this.#stopped.abort();
  }

  /** One look after the other: a slow answer must not be met by more questions. */
  async #keepLooking(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      await this.#look(signal);
      await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    try {
      const { _all: all } = await this.#client.indices.stats({ index: this.#alias, metric: 'search' }, { ignore: [404], signal });
      const now = { searches: all?.total?.search?.query_total ?? 0, at: Date.now() };
      const { searches, at } = this.#seen ?? now;
      // A node that is gone takes its count along: that says nothing.
      if (now.at > at && now.searches >= searches) this.#reading = (now.searches - searches) / ((now.at - at) / 1_000) >= FEW;
      this.#seen = now;
    } catch (error) {
      if (signal.aborted) return;
      // Elasticsearch is in trouble: no time to go at it with all force.
      this.#reading = true;
      this.#log.warn({ err: error }, 'not known whether the live items are searched: going gently');
    }
  }
}
