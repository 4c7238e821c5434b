/** An event whose entry in the changes index was written. */
interface WrittenChange {
  sequence: number;
  /** The time of the event, in epoch milliseconds. */
  time: number;
}

interface ChangeVisibilityOptions {
  /** Reads the checkpoint of the changes index. Every in-sync copy has all entries up to it. */
  readCheckpoint: (signal: AbortSignal) => Promise<number>;
  /** Receives how long an event took to become visible, in seconds. */
  onVisible: (seconds: number) => void;
  pollEveryMs?: number;
}

const POLL_EVERY_MS = 1_000;
/**
 * While this many events wait for a checkpoint, further events are not measured. This number is enough for
 * quantiles.
 */
const MAX_PENDING = 5_000;

/**
 * Measures how long it takes until followers can see the changes from events. Followers see an entry once the
 * checkpoint of the changes index has reached that entry.
 */
export class ChangeVisibility {
  readonly #options: Required<ChangeVisibilityOptions>;
  #pending: WrittenChange[] = [];
  #polledAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  readonly #stopped = new AbortController();

  constructor({ pollEveryMs = POLL_EVERY_MS, ...options }: ChangeVisibilityOptions) {
    this.#options = { pollEveryMs, ...options };
  }

  add(changes: readonly WrittenChange[]): void {
    for (const change of changes.slice(0, MAX_PENDING - this.#pending.length)) this.#pending.push(change);
    this.#schedule();
  }

  /** Forgets the events that are not visible yet, and ends a poll in progress. */
  stop(): void {
    this.#stopped.abort();
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#stopped.signal.aborted || this.#timer || this.#pending.length === 0) return;
    const wait = this.#polledAt + this.#options.pollEveryMs - performance.now();
    this.#timer = setTimeout(() => void this.#poll(), Math.max(0, wait));
  }

  async #poll(): Promise<void> {
    this.#polledAt = performance.now();
    // An error means that Elasticsearch is unavailable. A later poll then shows how long the events had to
    // wait.
    const checkpoint = await this.#options.readCheckpoint(this.#stopped.signal).catch(() => -1);
    if (this.#stopped.signal.aborted) return;
    const now = Date.now();
    const pending = this.#pending;
    this.#pending = pending.filter(({ sequence }) => sequence > checkpoint);
    // Clocks differ, so an event from the future counts as 0 seconds old.
    for (const { sequence, time } of pending)
      if (sequence <= checkpoint) this.#options.onVisible(Math.max(0, now - time) / 1_000);
    this.#timer = undefined;
    this.#schedule();
  }
}
