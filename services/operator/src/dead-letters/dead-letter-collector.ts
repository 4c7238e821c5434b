import type { Version } from '@vitrine/listing-events';
import { type Cause, causeOf } from './cause.ts';
import { type DeadLetterFilter, matches } from './dead-letter-filter.ts';
import { SettledDeadLetters, type Settlement, settledAs } from './settled-dead-letters.ts';
import {
  contentOf,
  type DeadLetterSummary,
  identityOf,
  type Mark,
  type Standing,
  type StoredDeadLetter,
  summaryOf,
} from './stored-dead-letter.ts';

export interface DeadLetterGroup extends Cause {
  /** The number of dead letters that the list counts in `total`. */
  count: number;
  /** The time of the newest one in ISO 8601. */
  newest: string;
}

/** Dead letters, one per record. */
export interface DeadLetterList {
  /**
   * The number of matching dead letters that are open: neither sent again nor dismissed nor corrected. If
   * `all` is set, the others count too.
   */
  total: number;
  /** The number of matching dead letters that were sent again and not dismissed. */
  retried: number;
  /** The number of matching dead letters that an operator has dismissed. */
  dismissed: number;
  /** The number of other matching dead letters that a later version of their listing has made harmless. */
  corrected: number;
  /** The number `total`, broken down by reason, with the most frequent reason first. */
  byReason: Record<string, number>;
  /**
   * The number `total`, broken down by cause, with the most frequent cause first. There are at most 100
   * causes.
   */
  causes: DeadLetterGroup[];
  /** The newest dead letter of each record, newest first. */
  newest: DeadLetterSummary[];
}

export interface ListOptions extends DeadLetterFilter {
  limit: number;
  /** Includes dead letters that are not open. */
  all: boolean;
}

const MAX_CAUSES = 100;

/** What the collector stores for each record. */
interface Known {
  ref: string;
  cause: Cause;
  time: string;
  content: string;
  corrected: Version | undefined;
}

/**
 * Builds the list from the entries of the dead-letter topic. The collector stores only the newest dead
 * letters completely. For all other dead letters, it stores only what the counts need. If many of the newest
 * dead letters are not open, the list is too short. A second collector that starts with the known marks then
 * builds the complete list. Pure.
 */
export class DeadLetterCollector {
  readonly #options: ListOptions;
  readonly #settled: SettledDeadLetters;
  /** Maps a record's identity to its newest matching dead letter. */
  readonly #known = new Map<string, Known>();
  readonly #causes = new Map<string, Cause>();
  readonly #kept = new Map<string, DeadLetterSummary>();
  #dropped = false;

  /** @param settled the settlements that an earlier scan has found */
  constructor(options: ListOptions, settled: Iterable<readonly [string, Settlement]> = []) {
    this.#options = options;
    this.#settled = new SettledDeadLetters(settled);
  }

  /**
   * Adds an entry. The caller must add the dead letters of a record in the order in which they were written.
   */
  add(entry: StoredDeadLetter | Mark, corrected?: Version): void {
    this.#settled.add(entry);
    if (entry.kind === 'mark') return;
    const identity = identityOf(entry);
    this.#kept.delete(identity);
    this.#known.delete(identity);
    if (!matches(entry, this.#options)) return;
    const { ref, time } = entry;
    const known = { ref, time, cause: this.#shared(causeOf(entry)), content: contentOf(entry), corrected };
    this.#known.set(identity, known);
    if (this.#shows(identity, known)) this.#kept.set(identity, summaryOf(entry, { retried: false }));
    if (this.#kept.size > 2 * this.#options.limit + 100) this.#drop();
  }

  get settlements(): ReadonlyMap<string, Settlement> {
    return this.#settled.settlements;
  }

  /** Whether the list lacks dead letters that the collector has dropped. */
  get isShort(): boolean {
    if (!this.#dropped) return false;
    const { total, newest } = this.list();
    return newest.length < Math.min(total, this.#options.limit);
  }

  list(): DeadLetterList {
    const counts = { total: 0, retried: 0, dismissed: 0, corrected: 0 };
    const causes = new Map<string, DeadLetterGroup>();
    const byReason = new Map<string, number>();
    const sent = new Map<string, string>();
    for (const [identity, known] of this.#known) {
      const settlement = this.#settled.of(identity);
      if (settlement === 'retried') sent.set(known.content, known.ref);
      if (settlement !== undefined) counts[settlement === 'retried' ? 'retried' : 'dismissed']++;
      else if (known.corrected !== undefined) counts.corrected++;
      if (!this.#shows(identity, known)) continue;
      counts.total++;
      const { cause, time } = known;
      byReason.set(cause.reason, (byReason.get(cause.reason) ?? 0) + 1);
      const { count, newest } = causes.get(cause.id) ?? { count: 0, newest: time };
      causes.set(cause.id, { ...cause, count: count + 1, newest: newest > time ? newest : time });
    }
    const shown = [...this.#kept].flatMap(([identity, deadLetter]) => {
      const known = this.#known.get(identity) as Known;
      return this.#shows(identity, known)
        ? [{ ...deadLetter, ...this.#standing(identity, known, sent) }]
        : [];
    });
    const sorted = [...byReason].sort(([a, m], [b, n]) => n - m || a.localeCompare(b));
    return {
      ...counts,
      byReason: Object.fromEntries(sorted),
      causes: [...causes.values()]
        .sort((a, b) => b.count - a.count || (a.newest < b.newest ? 1 : -1))
        .slice(0, MAX_CAUSES),
      newest: newestFirst(shown).slice(0, this.#options.limit),
    };
  }

  #standing(identity: string, { ref, content, corrected }: Known, sent: Map<string, string>): Standing {
    const settled = settledAs(this.#settled.of(identity));
    const first = sent.get(content);
    return {
      ...settled,
      ...(corrected !== undefined && { corrected }),
      ...(!settled.retried && first !== undefined && first !== ref && { retryOf: first }),
    };
  }

  #shows(identity: string, { corrected }: Known): boolean {
    return this.#options.all || (corrected === undefined && this.#settled.of(identity) === undefined);
  }

  /** Dead letters with the same cause share the object that describes it. */
  #shared(cause: Cause): Cause {
    const known = this.#causes.get(cause.id);
    if (known) return known;
    this.#causes.set(cause.id, cause);
    return cause;
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
