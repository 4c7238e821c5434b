import type { Finding } from './finding.ts';

/** Findings with the same rule at the same place in their events. */
export interface FaultGroup {
  first: Finding;
  /** The first finding's fault in words. They follow the finding's path. */
  message: string;
  /** The path that all findings share, with `*` for the index of an element. */
  path: string;
  count: number;
}

/** Hostile paths cannot occur, because the schema determines the paths. The limit bounds keys and reasons. */
const MAX_GROUPS = 1_000;

/** Counts findings by rule and place, because a defect in a source usually affects many events. */
export class FaultGroups {
  readonly #groups = new Map<string, FaultGroup>();

  add(finding: Finding, message: string): void {
    const path = finding.path.replace(/\/\d+(?=\/|$)/g, '/*');
    const limit = finding.reason === 'schema' ? finding.limit : '';
    const key = JSON.stringify([finding.reason, path, limit]);
    const group = this.#groups.get(key);
    if (group) group.count++;
    else if (this.#groups.size < MAX_GROUPS)
      this.#groups.set(key, { first: finding, message, path, count: 1 });
  }

  /** Returns the groups in descending order of their counts. */
  list(): FaultGroup[] {
    return [...this.#groups.values()].sort((a, b) => b.count - a.count);
  }
}
