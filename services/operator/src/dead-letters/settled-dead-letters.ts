import { type Dismissal, identityOf, type Mark, type StoredDeadLetter } from './stored-dead-letter.ts';

/** What an operator has done with a dead letter's record. */
export type Settlement = 'retried' | Dismissal;

/**
 * Finds the dead letters that a retry has sent again or an operator has dismissed. A mark contains one dead
 * letter's ref, but applies to every dead letter of the same record. It does not contain the record's
 * position because a recreated topic holds other records at the same positions. A record's last mark
 * determines its settlement.
 * Rules: docs/decisions/0033-dead-letter-identity.md, 0129-dismissed-dead-letters.md
 */
export class SettledDeadLetters {
  /** Maps the ref of a dead letter to the identity of its record. */
  readonly #identities = new Map<string, string>();
  readonly #settled: Map<string, Settlement>;

  /** @param settled the settlements that an earlier scan has found, by identity */
  constructor(settled: Iterable<readonly [identity: string, Settlement]> = []) {
    this.#settled = new Map(settled);
  }

  /**
   * Adds an entry from the dead-letter topic. The caller must add the entries of each partition in log order,
   * so that a mark follows its dead letter.
   */
  add(entry: StoredDeadLetter | Mark): void {
    if (entry.kind === 'dead-letter') {
      this.#identities.set(entry.ref, identityOf(entry));
      return;
    }
    // Retention may have deleted the dead letter to which the mark belongs.
    const identity = entry.identity ?? this.#identities.get(entry.ref);
    if (identity !== undefined) this.#settled.set(identity, entry.dismissed ?? 'retried');
  }

  of(identity: string): Settlement | undefined {
    return this.#settled.get(identity);
  }

  get settlements(): ReadonlyMap<string, Settlement> {
    return this.#settled;
  }
}

/** The members of a summary that a settlement determines. Pure. */
export const settledAs = (settlement: Settlement | undefined): { retried: boolean; dismissed?: Dismissal } =>
  settlement === undefined || settlement === 'retried'
    ? { retried: settlement === 'retried' }
    : { retried: false, dismissed: settlement };
