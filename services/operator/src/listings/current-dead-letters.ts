import { SettledDeadLetters } from '../dead-letters/settled-dead-letters.ts';
import { identityOf, type Mark, type StoredDeadLetter } from '../dead-letters/stored-dead-letter.ts';

/**
 * Finds the newest dead letter of each record that no retry has sent again and no operator has dismissed. The
 * caller adds all entries in a range, and then asks about the entries in the same range.
 */
export class CurrentDeadLetters {
  readonly #settled = new SettledDeadLetters();
  /** Maps the identity of a record to the ref of its newest dead letter. */
  readonly #newest = new Map<string, string>();

  /** Adds an entry. The caller must add the entries of each partition in log order. */
  add(entry: StoredDeadLetter | Mark): void {
    this.#settled.add(entry);
    if (entry.kind === 'dead-letter') this.#newest.set(identityOf(entry), entry.ref);
  }

  /** Whether the dead letter is still waiting, and no newer dead letter of the same record exists. */
  has(deadLetter: StoredDeadLetter): boolean {
    const identity = identityOf(deadLetter);
    return this.#newest.get(identity) === deadLetter.ref && this.#settled.of(identity) === undefined;
  }
}
