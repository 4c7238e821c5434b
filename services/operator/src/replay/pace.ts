import { setTimeout as sleep } from 'node:timers/promises';

const LONGEST_SLEEP_MS = 1_000;

/** Limits a rate. Without a rate, nothing waits. */
export class Pace {
  readonly #rate: number | undefined;
  #next = 0;

  /** @param rate units per second */
  constructor(rate: number | undefined) {
    this.#rate = rate;
  }

  /**
   * Resolves when `count` more units may be processed, or when the signal aborts.
   * @param onWait called at least once per second while waiting
   */
  async admit(count: number, signal: AbortSignal, onWait: () => void = () => undefined): Promise<void> {
    if (this.#rate === undefined) return;
    const start = Math.max(this.#next, Date.now());
    this.#next = start + (count / this.#rate) * 1_000;
    for (let left = start - Date.now(); left > 0 && !signal.aborted; left = start - Date.now()) {
      await sleep(Math.min(left, LONGEST_SLEEP_MS), undefined, { signal }).catch(() => undefined);
      onWait();
    }
  }
}
