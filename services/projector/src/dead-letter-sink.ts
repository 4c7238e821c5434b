import { LRUCache } from 'lru-cache';
import type { DeadLetter } from './dead-letter.ts';
import { recordIdentity } from './record-identity.ts';
import type { SourceRecord } from './source-record.ts';

/** About 200 bytes each: 10 MB of a heap of 256 MB. */
const REMEMBERED = 50_000;

/**
 * Where all generations of a process put their dead letters: each meets the same poison, and one dead
 * letter for it is enough. A dead letter that it has forgotten is written again, which does no harm.
 */
export class DeadLetterSink {
  readonly #written = new LRUCache<string, true>({ max: REMEMBERED });
  readonly #write: (letters: readonly DeadLetter[]) => Promise<void>;

  /** @param write writes dead letters, and resolves when they are safe */
  constructor(write: (letters: readonly DeadLetter[]) => Promise<void>) {
    this.#write = write;
  }

  /**
   * Writes the dead letters that are not known to be written.
   * @returns those that it wrote
   * @throws the error of `write`; none then counts as written
   */
  async send(letters: readonly DeadLetter[]): Promise<DeadLetter[]> {
    const fresh = letters.filter(({ record }) => !this.#written.has(recordIdentity(record)));
    if (fresh.length > 0) await this.#write(fresh);
    for (const { record } of fresh) this.remember(record);
    return fresh;
  }

  /** A dead letter for this record exists. */
  remember(record: SourceRecord): void {
    this.#written.set(recordIdentity(record), true);
  }
}
