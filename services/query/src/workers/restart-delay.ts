const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;
/** A process that ran at least this long did not fail at its start. */
const STABLE_MS = 60_000;

/**
 * Computes the delay before a new process replaces one that has exited. The delay doubles with each process
 * that exits soon after its start.
 */
export class RestartDelay {
  #failures = 0;

  /** @param livedMs lifetime of the process that exited @returns the delay in milliseconds */
  delayAfter(livedMs: number): number {
    this.#failures = livedMs >= STABLE_MS ? 0 : this.#failures;
    return Math.min(FIRST_DELAY_MS * 2 ** this.#failures++, LONGEST_DELAY_MS);
  }
}
