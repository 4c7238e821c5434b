import { join } from 'node:path';
import { compareVersions, type Version } from '@vitrine/listing-events';
import { type Comparing, isComparable } from './comparison.ts';
import { expectedListing } from './expected-listing.ts';
import { LineFile } from './files/line-file.ts';
import type { HeldListing } from './held-listings.ts';
import { fingerprint, VIEWED, type Viewed, viewedOf, viewOf } from './listing-view.ts';
import { mergeSource } from './merge-source.ts';
import type { SourceLine } from './source/source-line.ts';

const POSITION = new Map<Viewed, number>(VIEWED.map((name, position) => [name, position]));

/**
 * A listing that may differ. `line` is null for an item that no line names. `isHeld` tells whether the
 * generation held a document for the listing during the scan.
 */
export type Candidate = readonly [id: string, line: SourceLine | null, isHeld: boolean];

/** The listings that may differ, in a file in ascending byte order of id. */
export interface Candidates {
  path: string;
  count: number;
  /** The number of lines in the source. */
  lines: number;
  /** Whether a line names a listing for which no event was accepted. */
  hasUnseen: boolean;
}

/**
 * Finds the lines and the items that may differ. All others are equal.
 * @param folder receives the file
 * @throws SourceError; errors from the source; file system errors
 */
export async function findCandidates(
  lines: AsyncIterable<readonly SourceLine[]>,
  listings: AsyncIterable<readonly HeldListing[]>,
  comparing: Comparing,
  folder: string,
): Promise<Candidates> {
  const file = await LineFile.create(join(folder, 'candidates'));
  let hasUnseen = false;
  const add = (candidate: Candidate) => file.add(candidate);
  try {
    const read = await mergeSource(lines, listings, {
      line(line, held) {
        if (!held?.state || held.state.highest === null) hasUnseen = true;
        if (!held || !isEqual(line, held, comparing)) add([line.id, line, held !== undefined]);
      },
      unnamed({ id, item }) {
        if (item) add([id, null, true]);
      },
      batch: () => file.drain(),
    });
    return { path: file.path, count: file.lines, lines: read, hasUnseen };
  } finally {
    await file.close();
  }
}

/**
 * Whether a line certainly equals its listing, according to the item's fingerprints. All other listings are
 * read again and compared in detail. Pure.
 */
export function isEqual(line: SourceLine, held: HeldListing, { rules, today }: Comparing): boolean {
  const { version, members } = line;
  const { state, item } = held;
  if (version !== undefined && !sameVersion(version, state?.highest)) return false;
  const names = Object.keys(members);
  if (names.length === 0) return item !== undefined;
  const expected = expectedListing(line, rules);
  if (!item) return expected.hidden !== undefined && state?.hidden === expected.hidden;
  if (!expected.item) return false;
  const view = viewOf(expected.item, today);
  return names.every(
    (name) =>
      !isComparable(name, members[name]) ||
      viewedOf(name).every((viewed) => fingerprint(view[viewed]) === item[POSITION.get(viewed) as number]),
  );
}

const sameVersion = (version: Version, highest: Version | null | undefined): boolean =>
  highest !== null && highest !== undefined && compareVersions(version, highest) === 0;
