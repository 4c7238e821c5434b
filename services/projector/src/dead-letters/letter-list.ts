import { type Letter, type LetterSummary, placeOf, type RetryMark, summaryOf } from './letter.ts';

export interface LetterFilter {
  reason?: string;
  /** As a list shows it. */
  key?: string;
}

/** Letters, distinct by the record they stand for. */
export interface LetterList {
  /** How many match the filter and were not retried; with `all`, those too. */
  total: number;
  /** How many that match the filter were retried. */
  retried: number;
  /** Of `total`, by reason. */
  byReason: Record<string, number>;
  /** Newest first; the newest of each record. */
  letters: LetterSummary[];
}

export interface ListOptions extends LetterFilter {
  limit: number;
  /** Those that were retried too. */
  all: boolean;
}

export const matches = (letter: Letter, { reason, key }: LetterFilter): boolean =>
  (reason === undefined || letter.reason === reason) && (key === undefined || letter.key === key);

/**
 * Makes the list of what is read, in memory that grows only by a few bytes a letter: so many of the
 * newest letters are kept whole. Where too many of those turn out to be retried, a second reading with
 * the marks of the first finds the others. Pure.
 */
export class LetterCollector {
  readonly #options: ListOptions;
  readonly #retried: Set<string>;
  /** The record's place -> the reason of its newest letter that matches. */
  readonly #reasons = new Map<string, string>();
  readonly #kept = new Map<string, LetterSummary>();
  #dropped = false;

  /** @param retried records of which a mark is known already */
  constructor(options: ListOptions, retried: Iterable<string> = []) {
    this.#options = options;
    this.#retried = new Set(retried);
  }

  /** Letters of one record come in the order in which they were written. */
  add(entry: Letter | RetryMark): void {
    const place = placeOf(entry);
    if (entry.kind === 'mark') {
      this.#retried.add(place);
      return;
    }
    this.#kept.delete(place);
    this.#reasons.delete(place);
    if (!matches(entry, this.#options)) return;
    this.#reasons.set(place, entry.reason);
    if (this.#shows(place)) this.#kept.set(place, summaryOf(entry, false));
    if (this.#kept.size > 2 * this.#options.limit + 100) this.#drop();
  }

  /** The records of which a mark was read. */
  get retried(): ReadonlySet<string> {
    return this.#retried;
  }

  /** Letters were dropped before it was known that others would make room for them. */
  get isShort(): boolean {
    if (!this.#dropped) return false;
    const { total, letters } = this.list();
    return letters.length < Math.min(total, this.#options.limit);
  }

  list(): LetterList {
    const byReason: Record<string, number> = {};
    let total = 0;
    let retried = 0;
    for (const [place, reason] of this.#reasons) {
      if (this.#retried.has(place)) retried++;
      if (!this.#shows(place)) continue;
      total++;
      byReason[reason] = (byReason[reason] ?? 0) + 1;
    }
    const shown = [...this.#kept]
      .filter(([place]) => this.#shows(place))
      .map(([place, letter]) => ({ ...letter, retried: this.#retried.has(place) }));
    return { total, retried, byReason, letters: newestFirst(shown).slice(0, this.#options.limit) };
  }

  #shows(place: string): boolean {
    return this.#options.all || !this.#retried.has(place);
  }

  #drop(): void {
    const places = new Map([...this.#kept].map(([place, letter]) => [letter, place]));
    for (const letter of newestFirst([...this.#kept.values()]).slice(this.#options.limit)) this.#kept.delete(places.get(letter) as string);
    this.#dropped = true;
  }
}

function newestFirst(letters: LetterSummary[]): LetterSummary[] {
  const offset = ({ ref }: LetterSummary) => Number(ref.split(':')[1]);
  return letters.sort((a, b) => Date.parse(b.time) - Date.parse(a.time) || offset(b) - offset(a));
}
