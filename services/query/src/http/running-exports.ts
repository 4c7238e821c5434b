import { Overloaded } from '../search/search-limiter.ts';

/** No place is free, or the client already has its share. */
export class TooManyExports extends Overloaded {
  /** Whether the client has its share. */
  readonly isOfClient: boolean;

  constructor(reason: string, isOfClient: boolean) {
    super(reason);
    this.isOfClient = isOfClient;
  }
}

/**
 * The exports that this process is sending. One client has at most half of the places, so that it cannot deny
 * every export to the others. If there is only one place, one client may have it.
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

  /** Runs `send` while `client` occupies a place. @throws TooManyExports; any error of `send` */
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
