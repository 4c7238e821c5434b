import type { FaultGroup } from './fault-groups.ts';
import type { Finding } from './finding.ts';
import { WARNING_KINDS, type WarningKind } from './warnings.ts';

/** The result of `check` as `--json` prints it. */
export interface CheckSummary {
  records: number;
  accepted: number;
  /** Reason -> number of records. */
  refused: Record<string, number>;
  /** The number of records with unknown types. */
  skipped: number;
  /** The first 1,000 findings. */
  findings: Finding[];
  listings: {
    visible: number;
    /** Reason -> number of listings. */
    hidden: Record<string, number>;
    /** Member -> number of listings. */
    dropped: Record<string, number>;
  };
  warnings: { kind: WarningKind; count: number; ids: string[] }[];
}

export interface Tally {
  count: number;
  ids: string[];
  /** What is wrong with the first listing, if that is known. */
  example?: string;
}

/** The result of a check, and the listings behind its counts. */
export interface CheckResult {
  summary: CheckSummary;
  faults: FaultGroup[];
  /** The number of all findings. The summary contains only the first ones. */
  findings: number;
  hidden: [name: string, tally: Tally][];
  dropped: [name: string, tally: Tally][];
}

const MAX_IDS = 100;

/** Counts by name, and keeps the first ids of each name. */
export class Tallies {
  readonly #tallies = new Map<string, { count: number; ids: Set<string>; example: string | undefined }>();

  add(name: string, id?: string, example?: string): void {
    let tally = this.#tallies.get(name);
    if (!tally) {
      tally = { count: 0, ids: new Set(), example };
      this.#tallies.set(name, tally);
    }
    tally.count++;
    if (id !== undefined && tally.ids.size < MAX_IDS) tally.ids.add(id);
  }

  /** Returns the names in descending order of their counts. */
  list(): [name: string, tally: Tally][] {
    return [...this.#tallies]
      .map(([name, { count, ids, example }]): [string, Tally] => [
        name,
        { count, ids: [...ids], ...(example !== undefined && { example }) },
      ])
      .sort(([, a], [, b]) => b.count - a.count);
  }

  counts(): Record<string, number> {
    return Object.fromEntries(this.list().map(([name, { count }]) => [name, count]));
  }

  /** Returns the kinds of warnings in the order in which `WARNING_KINDS` lists them. */
  warnings(): CheckSummary['warnings'] {
    const found = new Map(this.list());
    return WARNING_KINDS.flatMap((kind) => {
      const tally = found.get(kind);
      return tally ? [{ kind, count: tally.count, ids: tally.ids }] : [];
    });
  }
}
