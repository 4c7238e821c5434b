import { ProgressRate, type ProgressView, secondsLeft } from '../progress-rate.ts';
import { duration } from '../text/plain-text.ts';

/** The output stream for progress. */
export interface ProgressTarget {
  isTTY?: boolean;
  write(text: string): unknown;
}

const TERMINAL_EVERY_MS = 100;
const PLAIN_EVERY_MS = 5_000;

/**
 * Formats one line: `deriving  45 %  45,000 of 100,000  9,850/s  6 s left`. If some work is done, a total of
 * 0 means that the total is unknown. Pure.
 */
export function progressLine(view: ProgressView): string {
  const { label, done, total, rate } = view;
  const count = (value: number) => value.toLocaleString('en');
  const isUnknown = total === 0 && done > 0;
  const share = total > 0 ? Math.min(Math.floor((done / total) * 100), 100) : 100;
  const parts = [label, ...(isUnknown ? [count(done)] : [`${share} %`, `${count(done)} of ${count(total)}`])];
  if (rate !== undefined) parts.push(`${count(Math.round(rate))}/s`);
  const left = secondsLeft(view);
  if (left !== undefined && done < total) parts.push(`${duration(left)} left`);
  return parts.join('  ');
}

/**
 * Shows progress. On a terminal, it rewrites a single line. To other outputs, it writes a line every few
 * seconds and at the end of each step.
 */
export class Progress {
  readonly #target: ProgressTarget;
  /** Whether the last line can be replaced. */
  readonly #rewrites: boolean;
  readonly #now: () => number;
  #view: ProgressView | undefined;
  readonly #rate: ProgressRate;
  #shownAt = 0;

  /** @param env `NO_COLOR` and `TERM=dumb` select plain lines without escape sequences */
  constructor(target: ProgressTarget, env: NodeJS.ProcessEnv, now: () => number = Date.now) {
    this.#target = target;
    this.#rewrites = target.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
    this.#now = now;
    this.#rate = new ProgressRate(now);
  }

  /** Reports the progress of the step `label`. */
  report(label: string, done: number, total: number): void {
    const now = this.#now();
    if (label !== this.#view?.label) {
      this.end();
      this.#shownAt = 0;
    }
    this.#view = this.#rate.report(label, done, total);
    const every = this.#rewrites ? TERMINAL_EVERY_MS : PLAIN_EVERY_MS;
    if (now - this.#shownAt < every) return;
    this.#shownAt = now;
    this.#show(this.#view);
  }

  #show(view: ProgressView): void {
    const line = progressLine(view);
    this.#target.write(this.#rewrites ? `\r\x1b[2K${line}` : `${line}\n`);
  }

  /** Completes the last line. */
  end(): void {
    if (!this.#view) return;
    this.#show(this.#view);
    if (this.#rewrites) this.#target.write('\n');
    this.#view = undefined;
  }
}
