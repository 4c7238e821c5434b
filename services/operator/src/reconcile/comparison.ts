import type { HiddenReason } from '@vitrine/listing';
import { canonicalJson, deriveSafely, highestVersion, type ListingState, type Rules } from '@vitrine/listing';
import { compareVersions, epochOf, numberOf, type Version } from '@vitrine/listing-events';
import type { StoredListing } from '../verify/stored-listing.ts';
import { expectedListing } from './expected-listing.ts';
import { type ListingView, type Viewed, viewedOf, viewOf } from './listing-view.ts';
import { type SourceLine, topLevel } from './source/source-line.ts';

/** Why a listing in the source is not in the feed. */
export type MissingReason = 'unseen' | 'removed' | 'dead-letter' | `hidden:${HiddenReason | 'failed'}`;

/**
 * The source's own value for a member, and the member's value in the feed. A value is `null` if there is
 * none.
 */
export type DifferentMembers = Record<string, { source: unknown; feed: unknown }>;

/** How a line in the source compares with the feed. */
export type LineResult =
  | { kind: 'equal' }
  | { kind: 'missing'; why: MissingReason }
  | { kind: 'different'; members: DifferentMembers };

/** The settings of a comparison. */
export interface Comparing {
  rules: Rules;
  /** The current date as YYYY-MM-DD. Earlier dates are not compared. */
  today: string;
}

/**
 * Compares a line with its listing in the feed. Pure.
 * @param stored the listing's documents, both absent if the listing was never seen
 */
export function compareLine(
  line: SourceLine,
  stored: StoredListing,
  { rules, today }: Comparing,
): LineResult {
  const { state, item } = stored;
  const highest = state && highestVersion(state);
  const versions = versionDifference(line, highest);
  if (!item) {
    const why = missingReason(line.id, state, rules);
    // Most missing listings of a large source were never seen, and the rules are costly.
    const isExpected = why.startsWith('hidden:') && why === `hidden:${expectedListing(line, rules).hidden}`;
    return isExpected ? resultOf(versions) : { kind: 'missing', why };
  }
  const { title, price, location, url } = item.feed_item;
  const unnamed = { title, price, city: location.city, url };
  const expected = expectedListing(line, rules, unnamed);
  const names = Object.keys(line.members);
  const feed = viewOf(item, today);
  const different = expected.item
    ? differentNames(line, viewOf(expected.item, today), feed)
    : expected.hidden !== undefined
      ? names.filter((name) => topLevel(name) === expected.hidden)
      : expected.refused !== undefined
        ? refusedNames(line, rules)
        : [];
  const members: DifferentMembers = {};
  for (const name of different) members[name] = valuesOf(name, line, feed);
  return resultOf({ ...members, ...versions });
}

const resultOf = (members: DifferentMembers): LineResult =>
  Object.keys(members).length === 0 ? { kind: 'equal' } : { kind: 'different', members };

/** The names in the line whose values differ from those in the feed. */
function differentNames({ members }: SourceLine, source: ListingView, feed: ListingView): string[] {
  const differs = (viewed: Viewed) =>
    canonicalJson(source[viewed] ?? null) !== canonicalJson(feed[viewed] ?? null);
  return Object.keys(members).filter(
    (name) => isComparable(name, members[name]) && viewedOf(name).some(differs),
  );
}

/** Without a time of publication, a listing shows the time of its first event, which no source can know. */
export const isComparable = (name: string, value: unknown): boolean =>
  name !== 'published_at' || value !== null;

/** The names whose values no event may have. Returns all names if only their combination is refused. */
function refusedNames({ id, members }: SourceLine, rules: Rules): string[] {
  const names = Object.keys(members);
  const refused = names.filter(
    (name) => expectedListing({ id, members: { [name]: members[name] } }, rules).refused !== undefined,
  );
  return refused.length > 0 ? refused : names;
}

function valuesOf(name: string, { members }: SourceLine, feed: ListingView): DifferentMembers[string] {
  const viewed = viewedOf(name);
  const [only] = viewed;
  const value =
    viewed.length === 1 && only
      ? feed[only]
      : Object.fromEntries(viewed.map((one) => [one.slice(one.indexOf('.') + 1), feed[one]]));
  return { source: members[name], feed: value ?? null };
}

/** The two versions, if the line names a version that is not the listing's highest one. */
function versionDifference({ version }: SourceLine, highest: Version | undefined): DifferentMembers {
  if (version === undefined || (highest !== undefined && compareVersions(version, highest) === 0)) return {};
  const number = { source: numberOf(version), feed: highest === undefined ? null : numberOf(highest) };
  const epochs = { source: epochOf(version), feed: highest === undefined ? null : epochOf(highest) };
  return {
    ...(number.source !== number.feed && { version: number }),
    ...(epochs.source !== (epochs.feed ?? 0) && { version_epoch: epochs }),
  };
}

/** Whether no event for the listing was ever accepted. Pure. */
const isUnseen = (state: ListingState | undefined): boolean =>
  state === undefined || highestVersion(state) === undefined;

function missingReason(id: string, state: ListingState | undefined, rules: Rules): MissingReason {
  if (state === undefined || isUnseen(state)) return 'unseen';
  const { hidden } = deriveSafely(rules, id, state);
  return hidden === 'removed' ? 'removed' : `hidden:${hidden ?? 'failed'}`;
}
