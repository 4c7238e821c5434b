/** The caller disconnected, or the deadline passed, before the result was available. */
export class Abandoned extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'Abandoned';
  }
}

interface Flight<T> {
  result: Promise<T>;
  end: AbortController;
  waiting: number;
  /** Whether the work continues even if no caller is waiting. */
  detached: boolean;
}

/**
 * Lets equal requests share work. While recent work for a key is in progress, further callers with this key
 * wait for the same result. The work is aborted at the deadline. Unless it is detached, it is also aborted
 * when the last caller leaves.
 */
export class SingleFlight<T> {
  readonly #flights = new Map<string, Flight<T>>();
  readonly #deadlineMs: number;
  readonly #joinableMs: number;

  /**
   * @param deadlineMs how long work may take, in milliseconds
   * @param joinableMs how long callers may join work after its start, in milliseconds. Later callers start
   * new work, because the result of the old work would be too old for them.
   */
  constructor(deadlineMs: number, joinableMs = deadlineMs) {
    this.#deadlineMs = deadlineMs;
    this.#joinableMs = joinableMs;
  }

  /**
   * Joins the work for `key`, and waits for its result until `signal` aborts. Starts the work if it is not in
   * progress.
   * @throws Abandoned if `signal` aborts or the deadline passes before the result is available; any error
   * from `work`
   */
  async join(key: string, work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    const flight = this.#flights.get(key) ?? this.#begin(key, work);
    const left = Promise.withResolvers<never>();
    const leave = () => left.reject(new Abandoned('the caller gave up'));
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave);
    flight.waiting++;
    try {
      return await Promise.race([flight.result, left.promise]);
    } finally {
      signal.removeEventListener('abort', leave);
      flight.waiting--;
      if (signal.aborted && flight.waiting === 0 && !flight.detached) this.#abandon(key, flight);
    }
  }

  /** Starts or joins the work for `key`. After this call, only the deadline can abort the work. */
  detach(key: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const flight = this.#flights.get(key) ?? this.#begin(key, work);
    flight.detached = true;
    return flight.result;
  }

  isInFlight(key: string): boolean {
    return this.#flights.has(key);
  }

  #begin(key: string, work: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const end = new AbortController();
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      end.abort();
      late.reject(new Abandoned(`the work did not finish within ${this.#deadlineMs} ms`));
    }, this.#deadlineMs);
    const result = Promise.race([work(end.signal), late.promise]);
    const flight: Flight<T> = { result, end, waiting: 0, detached: false };
    this.#flights.set(key, flight);
    const aging =
      this.#joinableMs < this.#deadlineMs
        ? setTimeout(() => this.#forget(key, flight), this.#joinableMs)
        : undefined;
    const done = () => {
      clearTimeout(timer);
      clearTimeout(aging);
      this.#forget(key, flight);
    };
    result.then(done, done);
    return flight;
  }

  /** Aborts the work. A later caller starts new work. */
  #abandon(key: string, flight: Flight<T>): void {
    this.#forget(key, flight);
    flight.end.abort();
  }

  #forget(key: string, flight: Flight<T>): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}
