import { FeedUnavailable, PointInTimeLost } from './search-failure.ts';

export interface SharedResourceOptions<T> {
  open: () => Promise<T>;
  close: (resource: T) => Promise<unknown>;
  /** How long new readers share one resource, in milliseconds from the request for it. */
  lifetimeMs: number;
  /** Without `whileOpening`, readers wait until a new resource is open. */
  whileOpening?: {
    /**
     * How long after its lifetime readers use the previous resource without waiting, in milliseconds. The
     * default is 0.
     */
    graceMs?: number;
    /**
     * How long readers wait for a new resource before they use the previous one, in milliseconds from the
     * request for the new one.
     */
    patienceMs: number;
    /** How long readers can begin to use the previous resource after its lifetime, in milliseconds. */
    keptMs: number;
  };
}

interface OpenResource<T> {
  resource: Promise<T>;
  /** When opening began, in milliseconds of `performance.now()`. */
  requestedAt: number;
  /** The resource, once it is open. */
  value?: T;
  readers: number;
  /** Whether the lifetime is over. */
  isExpired: boolean;
  /** Whether the resource accepts no further readers. */
  isRetired: boolean;
  isClosing: boolean;
  /** Resolves when the resource is closed. */
  closed: PromiseWithResolvers<void>;
}

/**
 * Lets readers share a resource, such as a point in time, for a short time. Only one resource is opened at a
 * time, because an Elasticsearch that opens one slowly would be slower with two. A retired resource is closed
 * when its last reader has finished.
 */
export class SharedResource<T> {
  readonly #options: SharedResourceOptions<T>;
  readonly #open = new Set<OpenResource<T>>();
  #current: OpenResource<T> | undefined;
  /** The last resource whose lifetime is over, until the next one is open. */
  #before: OpenResource<T> | undefined;

  constructor(options: SharedResourceOptions<T>) {
    this.#options = options;
  }

  /**
   * Runs `read` with the current resource. If a point in time is lost, retires the resource. If the resource
   * was already open before this call, also runs `read` once more with a new one. Any other failure of `read`
   * neither affects the resource nor repeats `read`.
   */
  async use<Result>(
    read: (resource: T) => Promise<Result>,
    signal: AbortSignal,
    attempts = 2,
  ): Promise<Result> {
    const isOlder = this.#current !== undefined;
    const opened = this.#current ?? this.#openNew();
    const before = this.#before;
    let used = opened;
    opened.readers++;
    try {
      if (before && (await this.#isReplaced(opened, before, signal))) {
        used = before;
        this.#release(opened);
      }
      return await read(used.value ?? (await untilAborted(used.resource, signal)));
    } catch (error) {
      if (!(error instanceof PointInTimeLost)) throw error;
      this.#retire(used);
      if ((!isOlder && used === opened) || attempts === 1 || signal.aborted) throw error;
    } finally {
      this.#release(used);
    }
    return this.use(read, signal, attempts - 1);
  }

  /**
   * Closes the current resource. Resolves when all resources are closed. A later read opens a new resource.
   */
  async close(): Promise<void> {
    for (const one of [this.#current, this.#before]) if (one) this.#retire(one);
    await Promise.all([...this.#open].map(({ closed }) => closed.promise));
  }

  /**
   * Waits until a new resource is open, fails or is late. Does not wait during the grace time.
   * @returns whether the reader uses the previous resource instead. If so, the reader also counts as a reader
   * of that resource
   * @throws FeedUnavailable if `signal` aborts
   */
  async #isReplaced(opened: OpenResource<T>, before: OpenResource<T>, signal: AbortSignal): Promise<boolean> {
    const { lifetimeMs, whileOpening: { graceMs = 0, patienceMs = 0 } = {} } = this.#options;
    if (performance.now() < before.requestedAt + lifetimeMs + graceMs) {
      before.readers++;
      return true;
    }
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, msUntil(opened.requestedAt + patienceMs));
    const settled = opened.resource.then(
      () => undefined,
      () => undefined,
    );
    let isReplaced = false;
    before.readers++;
    try {
      await untilAborted(Promise.race([settled, late.promise]), signal);
      // The previous resource is retired if the new one is open, if its own time is over, or if another
      // reader has found it lost.
      isReplaced = !before.isRetired;
      return isReplaced;
    } finally {
      clearTimeout(timer);
      if (!isReplaced) this.#release(before);
    }
  }

  #openNew(): OpenResource<T> {
    const requestedAt = performance.now();
    const resource = this.#options.open();
    const opened: OpenResource<T> = {
      resource,
      requestedAt,
      readers: 0,
      isExpired: false,
      isRetired: false,
      isClosing: false,
      closed: Promise.withResolvers(),
    };
    this.#current = opened;
    this.#open.add(opened);
    resource.then(
      (value) => {
        opened.value = value;
        if (this.#before) this.#retire(this.#before);
        if (opened.isExpired) this.#expire(opened);
      },
      // If opening fails, the next reader must try again.
      () => this.#retire(opened),
    );
    setTimeout(() => this.#expire(opened), this.#options.lifetimeMs).unref();
    return opened;
  }

  /** Ends the lifetime, but not before the resource is open. */
  #expire(opened: OpenResource<T>): void {
    opened.isExpired = true;
    if (opened.value === undefined || this.#current !== opened) return;
    const { lifetimeMs, whileOpening } = this.#options;
    if (!whileOpening) {
      this.#retire(opened);
      return;
    }
    this.#current = undefined;
    this.#before = opened;
    const end = opened.requestedAt + lifetimeMs + whileOpening.keptMs;
    setTimeout(() => this.#retire(opened), msUntil(end)).unref();
  }

  #retire(opened: OpenResource<T>): void {
    if (this.#current === opened) this.#current = undefined;
    if (this.#before === opened) this.#before = undefined;
    opened.isRetired = true;
    this.#closeIfDone(opened);
  }

  #release(used: OpenResource<T>): void {
    used.readers--;
    this.#closeIfDone(used);
  }

  #closeIfDone(opened: OpenResource<T>): void {
    if (!opened.isRetired || opened.readers > 0 || opened.isClosing) return;
    opened.isClosing = true;
    void opened.resource
      .then((resource) => this.#options.close(resource))
      // If the request to close fails, the point in time ends with its keep-alive.
      .catch(() => undefined)
      .then(() => {
        this.#open.delete(opened);
        opened.closed.resolve();
      });
  }
}

const msUntil = (time: number): number => Math.max(time - performance.now(), 0);

/**
 * Waits for `work` until `signal` aborts. After an abort, `work` continues for other readers.
 * @throws FeedUnavailable if `signal` aborts first; any error from `work`
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(new FeedUnavailable('given up'));
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/**
 * Starts tasks and returns their results. If one of them fails, aborts the others, waits until they have
 * ended, and then throws.
 * @param start receives a signal that also aborts with `caller`. A listener costs less than
 * `AbortSignal.any`.
 */
export async function allOrAbort<Tasks extends readonly unknown[]>(
  start: (signal: AbortSignal) => Tasks,
  caller: AbortSignal,
) {
  const end = new AbortController();
  const abort = () => end.abort();
  caller.addEventListener('abort', abort);
  if (caller.aborted) abort();
  const tasks = start(end.signal);
  try {
    return await Promise.all(tasks);
  } catch (error) {
    abort();
    await Promise.allSettled(tasks);
    throw error;
  } finally {
    caller.removeEventListener('abort', abort);
  }
}
