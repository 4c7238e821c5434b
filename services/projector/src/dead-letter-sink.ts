import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { DeadLetter } from './dead-letter.ts';
import type { SourceRecord } from './source-record.ts';

/** Where a record stood in the log, as one text. */
const originOf = (topic: string, partition: number | string, offset: string): string => `${topic}/${partition}/${offset}`;

/** Place and content: a topic that was made anew has other records at the same places. */
function identityOf({ topic, partition, offset, key, value }: SourceRecord): string {
  const content = createHash('sha256')
    .update(`${key?.length ?? 'null'}/${value?.length ?? 'null'}/`)
    .update(key ?? '')
    .update(value ?? '');
  return `${originOf(topic, partition, offset)}/${content.digest('base64')}`;
}

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
    const fresh = letters.filter(({ record }) => !this.#written.has(identityOf(record)));
    if (fresh.length > 0) await this.#write(fresh);
    for (const { record } of fresh) this.remember(record);
    return fresh;
  }

  /** A letter for this record exists. */
  remember(record: SourceRecord): void {
    this.#written.set(identityOf(record), true);
  }
}
