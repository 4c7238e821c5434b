/** The service is at capacity, or its queue timed out; the client may try again later. */
export class Overloaded extends Error {
  constructor(reason: string) {
    super(`the service is at capacity: ${reason}`);
    this.name = 'Overloaded';
  }
}

export interface SearchLimiterOptions {
  /** Maximum number of entries that are held at the same time. */
  limit: number;
  /** Maximum length of the queue; unlimited by default. */
  queue?: number;
  /** Maximum time in the queue, in milliseconds; unlimited by default. */
  queueTimeoutMs?: number;
  /** Whether the process is too busy to begin anything. */
  isBusy?: () => boolean;
}

interface Waiting {
  enter(): void;
}

/**
 * Bounds how much is under way at the same time, in order of arrival. Two of them stand before Elasticsearch: one
 * admits pages, with a short queue, since waiting time grows with its length; the other admits single searches, so that
 * Elasticsearch never works on more than the limit (docs/decisions/0022-search-limiter.md).
 */
export class SearchLimiter {
  readonly #options: SearchLimiterOptions;
  readonly #queue: Waiting[] = [];
  #running = 0;

  constructor(options: SearchLimiterOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /**
   * Waits for a place.
   * @param signal leaves the queue; a place that was given stays taken
   * @returns gives the place back; further calls have no effect
   * @throws Overloaded when the queue is full, times out or is left, or the process is busy
   */
  async enter(signal: AbortSignal): Promise<() => void> {
    const { limit, isBusy } = this.#options;
    if (isBusy?.()) throw new Overloaded('the event loop is late');
    if (signal.aborted) throw new Overloaded('the caller gave up');
    if (this.#running < limit) this.#running++;
    else await this.#turn(signal);
    let isHeld = true;
    return () => {
      if (isHeld) this.#release();
      isHeld = false;
    };
  }

  /** Runs `work` in a place of its own. @throws Overloaded as `enter` does; whatever `work` throws */
  async pass<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const release = await this.enter(signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  #release(): void {
    const next = this.#queue.shift();
    // The next in the queue takes over the place, so that no newcomer can overtake it.
    if (next) next.enter();
    else this.#running--;
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { queue = Number.POSITIVE_INFINITY, queueTimeoutMs } = this.#options;
    if (this.#queue.length >= queue) throw new Overloaded('the queue is full');
    const turn = Promise.withResolvers<void>();
    const waiting: Waiting = { enter: turn.resolve };
    const leave = (reason: string) => () => {
      const index = this.#queue.indexOf(waiting);
      if (index === -1) return;
      this.#queue.splice(index, 1);
      turn.reject(new Overloaded(reason));
    };
    const gaveUp = leave('the caller gave up');
    const timer = queueTimeoutMs === undefined ? undefined : setTimeout(leave('the queue does not move'), queueTimeoutMs);
    signal.addEventListener('abort', gaveUp);
    this.#queue.push(waiting);
    try {
      await turn.promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', gaveUp);
    }
  }
}
