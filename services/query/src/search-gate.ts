/** There is more to search for than can be searched in good time: come again. */
export class Overloaded extends Error {
  constructor(reason: string) {
    super(`too much to do: ${reason}`);
    this.name = 'Overloaded';
  }
}

export interface SearchGateOptions {
  /** How many go on at a time; as many more may wait. */
  limit: number;
  /** How long one may wait, in milliseconds. */
  patienceMs: number;
  /** Whether the process is too busy to begin anything. */
  isBusy: () => boolean;
}

/**
 * What stands before Elasticsearch: so many searches at a time, a line no longer than that, and an
 * immediate refusal for the rest. The line is short because who stands at its end pays for all
 * before him: with as many waiting as going on, nobody takes longer than about twice as long.
 */
export class SearchGate {
  readonly #options: SearchGateOptions;
  readonly #line: { enter: () => void }[] = [];
  #running = 0;

  constructor(options: SearchGateOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#line.length;
  }

  /** Does `work` when it is its turn. @throws Overloaded; whatever `work` throws */
  async pass<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#options.isBusy()) throw new Overloaded('the process is late');
    if (this.#running < this.#options.limit) this.#running++;
    else await this.#turn(signal);
    try {
      return await work();
    } finally {
      const next = this.#line.shift();
      // Who is next takes the place over, so that nobody can slip in between.
      if (next) next.enter();
      else this.#running--;
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { limit, patienceMs } = this.#options;
    if (this.#line.length >= limit) throw new Overloaded('the line is full');
    const turn = Promise.withResolvers<void>();
    const place = { enter: turn.resolve };
    const leave = (reason: string) => () => {
      const index = this.#line.indexOf(place);
      if (index === -1) return;
      this.#line.splice(index, 1);
      turn.reject(new Overloaded(reason));
    };
    const gone = leave('nobody waits any more');
    const timer = setTimeout(leave('the line does not move'), patienceMs);
    signal.addEventListener('abort', gone);
    this.#line.push(place);
    try {
      await turn.promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', gone);
    }
  }
}
