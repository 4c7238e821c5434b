/** The progress of one step, and its recent rate. */
export interface ProgressView {
  label: string;
  done: number;
  total: number;
  /** The rate in units per second, which is undefined until a measurement is possible. */
  rate: number | undefined;
}

const WINDOW_MS = 15_000;
const SHORTEST_SECONDS = 0.5;

/**
 * Measures the rate of a step over the last few seconds. A step with another label begins a new measurement.
 */
export class ProgressRate {
  readonly #now: () => number;
  #label: string | undefined;
  #samples: { at: number; done: number }[] = [];

  /** @param now the time in milliseconds */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Adds a report on the step `label`. */
  report(label: string, done: number, total: number): ProgressView {
    if (label !== this.#label) this.#samples = [];
    this.#label = label;
    const now = this.#now();
    this.#samples.push({ at: now, done });
    while (this.#samples.length > 2 && now - (this.#samples[0]?.at ?? now) > WINDOW_MS) this.#samples.shift();
    const [first] = this.#samples;
    const seconds = (now - (first?.at ?? now)) / 1_000;
    const rate = seconds > SHORTEST_SECONDS && first ? (done - first.done) / seconds : undefined;
    return { label, done, total, rate };
  }
}

/** The time left in seconds, or undefined if the rate is unknown or 0. Pure. */
export const secondsLeft = ({ done, total, rate }: ProgressView): number | undefined =>
  rate !== undefined && rate > 0 ? Math.max(0, (total - done) / rate) : undefined;
