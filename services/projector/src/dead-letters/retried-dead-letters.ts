import { identityOf, type Letter, type RetryMark } from './letter.ts';

/**
 * Which dead letters were sent again. A mark names one dead letter by its ref, and stands for every dead letter
 * of the same record. It is resolved through the dead letter itself and not through the record's position,
 * because a recreated topic holds other records at the same positions.
 * Rule: docs/decisions/0033-dead-letter-identity.md
 */
export class RetriedDeadLetters {
  /** Ref -> identity of the record. */
  readonly #identities = new Map<string, string>();
  readonly #retried: Set<string>;

  /** @param retried identities that an earlier reading found to be retried */
  constructor(retried: Iterable<string> = []) {
    this.#retried = new Set(retried);
  }

  /** Takes the entries of the dead-letter topic, each partition in the order of its log. A mark follows its dead letter. */
  add(entry: Letter | RetryMark): void {
    if (entry.kind === 'letter') {
      this.#identities.set(entry.ref, identityOf(entry));
      return;
    }
    // A mark whose dead letter was deleted by retention has nothing to mark.
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
