import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import type { Log } from '@vitrine/runtime/log';

const POLL_EVERY_MS = 500;
/** A lower rate of searches counts as manual tests. */
const FEW = 2;

/**
 * Uses Elasticsearch's own search counter to watch whether clients search the live items. Requests that a
 * cache serves do not count.
 */
export class ReaderWatch {
  readonly #client: Client;
  readonly #alias: string;
  readonly #log: Log;
  readonly #stopped = new AbortController();
  #seen: { searches: number; at: number } | undefined;
  #reading = true;

  /** @param alias the readers' alias */
  constructor(client: Client, alias: string, log: Log) {
    this.#client = client;
    this.#alias = alias;
    this.#log = log;
    void this.#keepLooking();
  }

  /** Whether there are readers. The value is true until two samples show that there are none. */
  get reading(): boolean {
    return this.#reading;
  }

  stop(): void {
    this.#stopped.abort();
  }

  /** Takes samples one after the other, so that requests do not accumulate while Elasticsearch is slow. */
  async #keepLooking(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      await this.#look(signal);
      await sleep(POLL_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    try {
      const { _all: all } = await this.#client.indices.stats(
        { index: this.#alias, metric: 'search' },
        { ignore: [404], signal },
      );
      const now = { searches: all?.total?.search?.query_total ?? 0, at: Date.now() };
      const { searches, at } = this.#seen ?? now;
      // If a node leaves the cluster, its counter disappears, so a sample with a lower total is not valid.
      if (now.at > at && now.searches >= searches)
        this.#reading = (now.searches - searches) / ((now.at - at) / 1_000) >= FEW;
      this.#seen = now;
    } catch (error) {
      if (signal.aborted) return;
      // Elasticsearch is not responding correctly, so the rebuild must not run at full speed.
      this.#reading = true;
      this.#log.warn(
        { err: error },
        'could not tell whether clients search the live items, so the rebuild runs at reduced speed',
      );
    }
  }
}
