import { setTimeout as sleep } from 'node:timers/promises';

const POLL_EVERY_MS = 20;
const LONGEST_SLEEP_MS = 1_000;
/**
 * The duration of the pause after a piece of work, as a multiple of the work's duration. With a factor of 1,
 * the p99 latency of readers was up to 3.7 times the latency without a rebuild.
 */
const REST = 2;

/**
 * Controls a rebuild's speed. A rate set by the operator always applies. If there is no such rate, the
 * rebuild runs at full speed while there are no readers. While there are readers, the rebuild does one piece
 * of work at a time, and then pauses for twice as long, so that most readers find free CPU and Elasticsearch
 * threads. Several builders share both limits equally.
 */
export class Admission {
  readonly #pace: Pace | undefined;
  readonly #readers: { readonly reading: boolean };
  readonly #builders: () => number;
  #underWay = 0;
  #restUntil = 0;

  /**
   * @param rate maximum number of units per second, for all builders together
   * @param builders returns the current number of builders
   */
  constructor(
    rate: number | undefined,
    readers: { readonly reading: boolean },
    builders: () => number = () => 1,
  ) {
    this.#pace = rate === undefined ? undefined : new Pace(rate);
    this.#readers = readers;
    this.#builders = builders;
  }

  /**
   * Resolves when the caller may process `count` more units, or when the signal aborts.
   * @param onWait called at least once per second while waiting
   * @returns a function to call when these units are finished
   */
  async admit(count: number, signal: AbortSignal, onWait: () => void = () => undefined): Promise<() => void> {
    if (this.#pace) {
      await this.#pace.admit(count * this.#builders(), signal, onWait);
      return () => undefined;
    }
    while (this.#readers.reading && (this.#underWay > 0 || Date.now() < this.#restUntil) && !signal.aborted) {
      await sleep(POLL_EVERY_MS, undefined, { signal }).catch(() => undefined);
      onWait();
    }
    const startedAt = Date.now();
    this.#underWay++;
    return () => {
      this.#underWay--;
      const now = Date.now();
      // Each of n builders works for 1/n of the time that one builder alone would work.
      this.#restUntil = now + ((1 + REST) * this.#builders() - 1) * (now - startedAt);
    };
  }
}

/** Limits a rate. If no rate is set, `admit` never waits. */
export class Pace {
  readonly #rate: number | undefined;
  #next = 0;

  /** @param rate maximum number of units per second */
  constructor(rate: number | undefined) {
    this.#rate = rate;
  }

  /**
   * Resolves when the caller may process `count` more units, or when the signal aborts.
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
