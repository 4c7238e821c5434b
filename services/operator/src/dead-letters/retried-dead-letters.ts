import { identityOf, type RetryMark, type StoredDeadLetter } from './stored-dead-letter.ts';

/**
 * Finds the retried dead letters. A mark contains one dead letter's ref, but applies to every dead letter of
 * the same record. It does not contain the record's position because a recreated topic holds other records at
 * the same positions. Rule: docs/decisions/0033-dead-letter-identity.md
 */
export class RetriedDeadLetters {
  /** Maps the ref of a dead letter to the identity of its record. */
  readonly #identities = new Map<string, string>();
  readonly #retried: Set<string>;

  /** @param retried identities of retried records found by an earlier scan */
  constructor(retried: Iterable<string> = []) {
    this.#retried = new Set(retried);
  }

  /**
   * Adds an entry of the dead-letter topic. The caller must add the entries of each partition in log order,
   * so that a mark follows its dead letter.
   */
  add(entry: StoredDeadLetter | RetryMark): void {
    if (entry.kind === 'dead-letter') {
      this.#identities.set(entry.ref, identityOf(entry));
      return;
    }
    // Retention may have deleted the dead letter to which the mark belongs.
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
