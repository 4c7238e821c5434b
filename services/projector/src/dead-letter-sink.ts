import { LRUCache } from 'lru-cache';
import type { DeadLetter } from './dead-letter.ts';

/** Where a record stood in the log, as one text. */
export const originOf = (topic: string, partition: number | string, offset: string): string => `${topic}/${partition}/${offset}`;

const REMEMBERED = 500_000;

/**
 * Where all generations of a process put their dead letters: each meets the same poison, and one
 * letter for it is enough. What it forgets is written again, which does no harm.
 */
export class DeadLetterSink {
  readonly #written = new LRUCache<string, true>({ max: REMEMBERED });
  readonly #write: (letters: readonly DeadLetter[]) => Promise<void>;

  /** @param write writes letters, and resolves when they are safe */
  constructor(write: (letters: readonly DeadLetter[]) => Promise<void>) {
    this.#write = write;
  }

  /**
   * Writes the letters that nobody has written yet.
   * @returns those
   * @throws what `write` throws; then none counts as written
   */
  async send(letters: readonly DeadLetter[]): Promise<DeadLetter[]> {
    const fresh = letters.filter(({ record }) => !this.#written.has(originOf(record.topic, record.partition, record.offset)));
    if (fresh.length > 0) await this.#write(fresh);
    for (const { record } of fresh) this.remember(originOf(record.topic, record.partition, record.offset));
    return fresh;
  }

  /** A letter for the record at this place exists. */
  remember(origin: string): void {
    this.#written.set(origin, true);
  }
}
