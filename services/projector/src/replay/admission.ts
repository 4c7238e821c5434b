import { setTimeout as sleep } from 'node:timers/promises';
import { Pace } from './pace.ts';

const LOOK_AGAIN_MS = 20;
/** By the time that the work before took. With 1, readers' p99 was up to 3.7 times what it is without a rebuild. */
const REST = 2;

/**
 * When a rebuild may go on. With a rate: so many a second, whoever else is there. Without: with all force while nobody
 * reads, else one piece of work at a time, and after it a rest of twice as long as the work was, so that most readers
 * find a processor and Elasticsearch's threads free.
 */
export class Admission {
  readonly #pace: Pace | undefined;
  readonly #readers: { readonly reading: boolean };
  #underWay = 0;
  #restUntil = 0;

  /** @param rate how many a second */
  constructor(rate: number | undefined, readers: { readonly reading: boolean }) {
    this.#pace = rate === undefined ? undefined : new Pace(rate);
    this.#readers = readers;
  }

  /**
   * Resolves when `count` more may go, or the signal aborts.
   * @param onWait called at least once a second while waiting
   * @returns to be called when they are done
   */
  async admit(count: number, signal: AbortSignal, onWait: () => void = () => undefined): Promise<() => void> {
    if (this.#pace) {
      await this.#pace.admit(count, signal, onWait);
      return () => undefined;
    }
    while (this.#readers.reading && (this.#underWay > 0 || Date.now() < this.#restUntil) && !signal.aborted) {
      await sleep(LOOK_AGAIN_MS, undefined, { signal }).catch(() => undefined);
      onWait();
    }
    const begun = Date.now();
    this.#underWay++;
    return () => {
      this.#underWay--;
      const now = Date.now();
      this.#restUntil = now + REST * (now - begun);
    };
  }
}
