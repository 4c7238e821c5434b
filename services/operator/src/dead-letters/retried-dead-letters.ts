import { identityOf, type RetryMark, type StoredDeadLetter } from './stored-dead-letter.ts';

/**
 * The retried dead letters. A mark names one dead letter by its ref and applies to every dead letter of the
 * same record. The mark refers to the dead letter and not to the record's position, because a recreated topic
 * holds other records at the same positions. Rule: docs/decisions/0033-dead-letter-identity.md
 */
export class RetriedDeadLetters {
  /** Maps the ref of a dead letter to the identity of its record. */
  readonly #identities = new Map<string, string>();
  readonly #retried: Set<string>;

  /** @param retried identities of retried records that an earlier reading found */
  constructor(retried: Iterable<string> = []) {
    this.#retried = new Set(retried);
  }

  /**
   * Adds an entry of the dead-letter topic. Each partition must arrive in log order, so that a mark follows
   * its dead letter.
   */
  add(entry: StoredDeadLetter | RetryMark): void {
    if (entry.kind === 'letter') {
      this.#identities.set(entry.ref, identityOf(entry));
      return;
    }
    // Retention may have deleted the dead letter of a mark.
    const identity = this.#identities.get(entry.ref);
    if (identity !== undefined) this.#retried.add(identity);
  }

  has(identity: string): boolean {
    return this.#retried.has(identity);
  }

  get identities(): ReadonlySet<string> {
    return this.#retried;
  }
}
