import { RetriedDeadLetters } from './retried-dead-letters.ts';
import {
  type DeadLetterSummary,
  identityOf,
  type RetryMark,
  type StoredDeadLetter,
  summaryOf,
} from './stored-dead-letter.ts';

export interface DeadLetterFilter {
  reason?: string;
  /** The key in the form that `dead-letters list` prints. */
  key?: string;
}

/** Dead letters, one per record. */
export interface DeadLetterList {
  /**
   * Number of matching dead letters that were not retried. If `all` is set, retried dead letters count too.
   */
  total: number;
  /** Number of matching dead letters that were already retried. */
  retried: number;
  /** The number `total`, divided by reason, with the most frequent reason first. */
  byReason: Record<string, number>;
  /** The newest dead letter of each record, newest first. */
  newest: DeadLetterSummary[];
}

export interface ListOptions extends DeadLetterFilter {
  limit: number;
  /** Includes retried dead letters. */
  all: boolean;
}

export const matches = (deadLetter: StoredDeadLetter, { reason, key }: DeadLetterFilter): boolean =>
  (reason === undefined || deadLetter.reason === reason) && (key === undefined || deadLetter.key === key);

/**
 * Builds the list from the entries of the dead-letter topic. The collector stores only the newest dead
 * letters completely. Of all other dead letters, it stores identity, ref and reason. If many of the newest
 * dead letters were retried, the list is too short. A second collector that starts with the known marks then
 * builds the complete list. Pure.
 */
export class DeadLetterCollector {
  readonly #options: ListOptions;
  readonly #retried: RetriedDeadLetters;
  /** Maps a record's identity to the reason of its newest matching dead letter. */
  readonly #reasons = new Map<string, string>();
  readonly #kept = new Map<string, DeadLetterSummary>();
  #dropped = false;

  /** @param retried identities of retried records found by an earlier scan */
  constructor(options: ListOptions, retried: Iterable<string> = []) {
    this.#options = options;
    this.#retried = new RetriedDeadLetters(retried);
  }

  /**
   * Adds an entry. The caller must add the dead letters of a record in the order in which they were written.
   */
  add(entry: StoredDeadLetter | RetryMark): void {
    this.#retried.add(entry);
    if (entry.kind === 'mark') return;
    const identity = identityOf(entry);
    this.#kept.delete(identity);
    this.#reasons.delete(identity);
    if (!matches(entry, this.#options)) return;
    this.#reasons.set(identity, entry.reason);
    if (this.#shows(identity)) this.#kept.set(identity, summaryOf(entry, false));
    if (this.#kept.size > 2 * this.#options.limit + 100) this.#drop();
  }

  /** Identities of the retried records. */
  get retried(): ReadonlySet<string> {
    return this.#retried.identities;
  }

  /** Whether the list lacks dead letters that the collector has dropped. */
  get isShort(): boolean {
    if (!this.#dropped) return false;
    const { total, newest } = this.list();
    return newest.length < Math.min(total, this.#options.limit);
  }

  list(): DeadLetterList {
    const byReason: Record<string, number> = {};
    let total = 0;
    let retried = 0;
    for (const [identity, reason] of this.#reasons) {
      if (this.#retried.has(identity)) retried++;
      if (!this.#shows(identity)) continue;
      total++;
      byReason[reason] = (byReason[reason] ?? 0) + 1;
    }
    const shown = [...this.#kept]
      .filter(([identity]) => this.#shows(identity))
      .map(([identity, deadLetter]) => ({ ...deadLetter, retried: this.#retried.has(identity) }));
    const sorted = Object.entries(byReason).sort(([a, m], [b, n]) => n - m || a.localeCompare(b));
    return {
      total,
      retried,
      byReason: Object.fromEntries(sorted),
      newest: newestFirst(shown).slice(0, this.#options.limit),
    };
  }

  #shows(identity: string): boolean {
    return this.#options.all || !this.#retried.has(identity);
  }

  #drop(): void {
    const identities = new Map([...this.#kept].map(([identity, deadLetter]) => [deadLetter, identity]));
    for (const deadLetter of newestFirst([...this.#kept.values()]).slice(this.#options.limit))
      this.#kept.delete(identities.get(deadLetter) as string);
    this.#dropped = true;
  }
}

function newestFirst(deadLetters: DeadLetterSummary[]): DeadLetterSummary[] {
  const offset = ({ ref }: DeadLetterSummary) => Number(ref.split(':')[1]);
  return deadLetters.sort((a, b) => Date.parse(b.time) - Date.parse(a.time) || offset(b) - offset(a));
}
