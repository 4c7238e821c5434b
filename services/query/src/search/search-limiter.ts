/** The service is at capacity, or the request waited too long in a queue. The client may retry later. */
export class Overloaded extends Error {
  constructor(reason: string) {
    super(`the service is at capacity: ${reason}`);
    this.name = 'Overloaded';
  }
}

export interface SearchLimiterOptions {
  /** Maximum number of slots in use at the same time. */
  limit: number;
  /** Maximum length of the queue; unlimited by default. */
  queue?: number;
  /** Maximum time in the queue, in milliseconds; unlimited by default. */
  queueTimeoutMs?: number;
  /** Whether the process is too busy to start new work. */
  isBusy?: () => boolean;
}

interface Waiting {
  enter(): void;
}

/**
 * Limits concurrent work, and admits waiting work in order of arrival. Two limiters protect Elasticsearch.
 * The first limiter admits pages. Its queue is short because waiting time grows with queue length. The second
 * limiter admits single searches, so Elasticsearch never works on more searches than the limit
 * (docs/decisions/0022-search-limiter.md).
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
   * Waits for a slot.
   * @param signal aborts the wait, but does not release a slot that was already granted
   * @returns a function that releases the slot. Further calls have no effect.
   * @throws Overloaded if the queue is full, the wait times out or is aborted, or the process is busy
   */
  async enter(signal: AbortSignal): Promise<() => void> {
    const { limit, isBusy } = this.#options;
    if (isBusy?.()) throw new Overloaded('the event loop is delayed');
    if (signal.aborted) throw new Overloaded('the caller gave up');
    if (this.#running < limit) this.#running++;
    else await this.#turn(signal);
    let isReleased = false;
    return () => {
      if (!isReleased) this.#release();
      isReleased = true;
    };
  }

  /**
   * Waits for a slot, runs `work` and releases the slot.
   * @throws Overloaded as `enter` does; any error from `work`
   */
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
    // The slot passes directly to the next caller in the queue, so no later caller can overtake it.
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
    const timer =
      queueTimeoutMs === undefined
        ? undefined
        : setTimeout(leave('the request waited too long in the queue'), queueTimeoutMs);
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
