import { RetriedDeadLetters } from '../dead-letters/retried-dead-letters.ts';
import { identityOf, type RetryMark, type StoredDeadLetter } from '../dead-letters/stored-dead-letter.ts';

/**
 * Finds the newest dead letter of each record that no retry has sent again. The caller adds all entries of a range,
 * and then asks about the entries of the same range.
 */
export class CurrentDeadLetters {
  readonly #retried = new RetriedDeadLetters();
  /** Maps the identity of a record to the ref of its newest dead letter. */
  readonly #newest = new Map<string, string>();

  /** Adds an entry. The caller must add the entries of each partition in log order. */
  add(entry: StoredDeadLetter | RetryMark): void {
    this.#retried.add(entry);
    if (entry.kind === 'dead-letter') this.#newest.set(identityOf(entry), entry.ref);
  }

  /** Whether the dead letter still waits, and no newer dead letter of the same record exists. */
  has(deadLetter: StoredDeadLetter): boolean {
    const identity = identityOf(deadLetter);
    return this.#newest.get(identity) === deadLetter.ref && !this.#retried.has(identity);
  }
}
