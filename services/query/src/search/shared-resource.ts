import { FeedUnavailable, PointInTimeLost } from './search-failure.ts';

export interface SharedResourceOptions<T> {
  open: () => Promise<T>;
  close: (resource: T) => Promise<unknown>;
  /** How long new readers share one resource, in milliseconds from the request for it. */
  lifetimeMs: number;
  /** Without it, readers wait for a new resource until it is open. */
  whileOpening?: {
    /** How long a reader waits for a new resource before it uses the previous one, in milliseconds. */
    patienceMs: number;
    /** How long the previous one can be used after its lifetime, in milliseconds. */
    keptMs: number;
  };
}

interface OpenResource<T> {
  resource: Promise<T>;
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
 * Lets readers share a resource, such as a point in time, for a short time. Only one resource is opened at a time,
 * because an Elasticsearch that opens one slowly would be slower with two. A retired resource is closed when its
 * last reader has finished.
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
    if (before) before.readers++;
    try {
      if (before && opened.value === undefined && (await this.#isSlow(opened))) used = before;
      return await read(used.value ?? (await untilAborted(used.resource, signal)));
    } catch (error) {
      if (!(error instanceof PointInTimeLost)) throw error;
      this.#retire(used);
      if ((!isOlder && used === opened) || attempts === 1 || signal.aborted) throw error;
    } finally {
      for (const one of before ? [opened, before] : [opened]) {
        one.readers--;
        this.#closeIfDone(one);
      }
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

  /** Waits for a new resource. @returns whether the previous one should be used instead */
  async #isSlow({ resource }: OpenResource<T>): Promise<boolean> {
    const patience = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => patience.resolve(true), this.#options.whileOpening?.patienceMs);
    try {
      return await Promise.race([resource.then(() => false), patience.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  #openNew(): OpenResource<T> {
    const resource = this.#options.open();
    const opened: OpenResource<T> = {
      resource,
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
    const { whileOpening } = this.#options;
    if (!whileOpening) {
      this.#retire(opened);
      return;
    }
    this.#current = undefined;
    this.#before = opened;
    setTimeout(() => this.#retire(opened), whileOpening.keptMs).unref();
  }

  #retire(opened: OpenResource<T>): void {
    if (this.#current === opened) this.#current = undefined;
    if (this.#before === opened) this.#before = undefined;
    opened.isRetired = true;
    this.#closeIfDone(opened);
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

/**
 * Waits for `work` until `signal` aborts. After an abort, `work` continues for other readers.
 * @throws FeedUnavailable if `signal` aborts first; any error of `work`
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
 * Starts tasks and returns their results. If one of them fails, aborts the others, waits until they have ended,
 * and then throws.
 * @param start receives a signal that also aborts with `caller`. A listener costs less than `AbortSignal.any`.
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
