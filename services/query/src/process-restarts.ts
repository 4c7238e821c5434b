const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;
/** Who lived that long did not fail at its start. */
const STEADY_MS = 60_000;

/** How long to wait before a process that ended is started again: longer each time that it fails soon after its start. */
export class Restarts {
  #inARow = 0;

  /** @param livedMs how long the process that ended had lived */
  delayAfter(livedMs: number): number {
    this.#inARow = livedMs >= STEADY_MS ? 0 : this.#inARow;
    return Math.min(FIRST_DELAY_MS * 2 ** this.#inARow++, LONGEST_DELAY_MS);
  }
}
