/** The ids by which two sets of documents differ. */
export interface Differences {
  /** The ids that are expected but absent, and therefore lost. */
  readonly missing: string[];
  /** The ids that are present but not expected, and therefore resurrected. */
  readonly extra: string[];
  readonly different: string[];
}

/** Compares documents by id. The order of members does not count. */
export function compareDocuments(
  expected: ReadonlyMap<string, unknown>,
  actual: ReadonlyMap<string, unknown>,
): Differences {
  return {
    missing: [...expected.keys()].filter((id) => !actual.has(id)),
    extra: [...actual.keys()].filter((id) => !expected.has(id)),
    different: [...expected]
      .filter(([id, document]) => actual.has(id) && canonical(document) !== canonical(actual.get(id)))
      .map(([id]) => id),
  };
}

/** Compares strings as multisets. */
export function compareTexts(expected: readonly string[], actual: readonly string[]): Differences {
  const counts = new Map<string, number>();
  for (const text of expected) counts.set(text, (counts.get(text) ?? 0) + 1);
  for (const text of actual) counts.set(text, (counts.get(text) ?? 0) - 1);
  const repeated = (sign: number) =>
    [...counts].flatMap(([text, count]) => Array<string>(Math.max(0, sign * count)).fill(text));
  return { missing: repeated(1), extra: repeated(-1), different: [] };
}

export const countDifferences = ({ missing, extra, different }: Differences): number =>
  missing.length + extra.length + different.length;

const SHOWN = 5;

/** One line about the differences, with some of the ids. */
export function describeDifferences({ missing, extra, different }: Differences): string {
  return Object.entries({ missing, extra, different })
    .filter(([, ids]) => ids.length > 0)
    .map(
      ([name, ids]) =>
        `${ids.length} ${name} (${ids
          .slice(0, SHOWN)
          .map((id) => id.slice(0, 120))
          .join(', ')})`,
    )
    .join(', ');
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
