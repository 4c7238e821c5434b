import type { Client } from '@elastic/elasticsearch';

const LOOK_EVERY_MS = 500;
/** Fewer searches a second than this are somebody who tries something. */
const FEW = 2;

/** Whether the live items are searched now, by Elasticsearch's own count: pages that are answered from a cache are none. */
export class ReaderWatch {
  readonly #client: Client;
  readonly #alias: string;
  readonly #timer: NodeJS.Timeout;
  #seen: { searches: number; at: number } | undefined;
  #reading = true;

  /** @param alias the readers' */
  constructor(client: Client, alias: string) {
    this.#client = client;
    this.#alias = alias;
    this.#timer = setInterval(() => void this.#look(), LOOK_EVERY_MS);
    void this.#look();
  }

  /** Presumed until two looks have shown that nobody is there. */
  get reading(): boolean {
    return this.#reading;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    try {
      const { _all: all } = await this.#client.indices.stats({ index: this.#alias, metric: 'search' }, { ignore: [404] });
      const now = { searches: all?.total?.search?.query_total ?? 0, at: Date.now() };
      const { searches, at } = this.#seen ?? now;
      // A node that is gone takes its count along: that says nothing.
      if (now.at > at && now.searches >= searches) this.#reading = (now.searches - searches) / ((now.at - at) / 1_000) >= FEW;
      this.#seen = now;
    } catch {
      // Elasticsearch is in trouble: no time to go at it with all force.
      this.#reading = true;
    }
  }
}
