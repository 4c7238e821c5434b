import { compareVersions, type Version } from '@vitrine/listing-events';
import { type Comparing, isComparable } from './comparison.ts';
import { expectedListing } from './expected-listing.ts';
import type { HeldListing } from './held-listings.ts';
import { fingerprint, VIEWED, type Viewed, viewedOf, viewOf } from './listing-view.ts';
import type { SourceLine } from './source/source-line.ts';

const POSITION = new Map<Viewed, number>(VIEWED.map((name, position) => [name, position]));

/**
 * Whether a line certainly equals its listing, by the fingerprints of the item. The others are read again and
 * compared in detail. Pure.
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
