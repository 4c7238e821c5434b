import type { SourceRecord } from '@vitrine/kafka';
import { LRUCache } from 'lru-cache';
import type { DeadLetter } from './dead-letter.ts';
import { recordIdentity } from './dead-letter.ts';

/** Each entry takes about 200 bytes, so all entries take 10 MB of a 256 MB heap. */
const REMEMBERED = 50_000;

/**
 * Writes the dead letters for all generations that a process projects. Every generation reads the same
 * invalid record, but one dead letter per record is enough. The sink remembers only a limited number of
 * records, which suffices because writing a dead letter again is harmless.
 */
export class DeadLetterSink {
  readonly #written = new LRUCache<string, true>({ max: REMEMBERED });
  /** The writes in progress, by the identity of the record. */
  readonly #pending = new Map<string, Promise<void>>();
  readonly #write: (deadLetters: readonly DeadLetter[]) => Promise<void>;

  /** @param write writes dead letters and resolves when they are durable */
  constructor(write: (deadLetters: readonly DeadLetter[]) => Promise<void>) {
    this.#write = write;
  }

  /**
   * Writes the dead letters that this process has not written yet. If another call is writing some of them,
   * this call waits for that write.
   * @returns the dead letters that it wrote
   * @throws the error from `write`. After an error, the sink treats all dead letters from this call as not
   * written.
   */
  async send(deadLetters: readonly DeadLetter[]): Promise<DeadLetter[]> {
    const unwritten = deadLetters
      .filter(({ record }) => !this.#isWritten(record))
      .map((deadLetter) => ({ deadLetter, identity: recordIdentity(deadLetter.record) }));
    const { fresh = [], pending = [] } = Object.groupBy(unwritten, ({ identity }) =>
      this.#pending.has(identity) ? 'pending' : 'fresh',
    );
    const others = pending.map(({ identity }) => this.#pending.get(identity));
    const written = fresh.map(({ deadLetter }) => deadLetter);
    if (fresh.length > 0) {
      const write = this.#write(written);
      for (const { identity } of fresh) this.#pending.set(identity, write);
      try {
        await write;
        for (const { record } of written) this.remember(record);
      } finally {
        for (const { identity } of fresh) this.#pending.delete(identity);
      }
    }
    await Promise.all(others);
    return written;
  }

  /** Release 1.1.0 wrote dead letters without the topic's id. */
  #isWritten({ topicId, ...record }: SourceRecord): boolean {
    if (this.#written.has(recordIdentity(record))) return true;
    return topicId !== undefined && this.#written.has(recordIdentity({ ...record, topicId }));
  }

  /** Records that a dead letter for this record exists. */
  remember(record: SourceRecord): void {
    this.#written.set(recordIdentity(record), true);
  }
}
