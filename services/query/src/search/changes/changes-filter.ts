import type { estypes } from '@elastic/elasticsearch';
import {
  CHANGE_KINDS,
  type ChangeEntry,
  type ChangeKind,
  type ChangeState,
  latestChange,
} from '@vitrine/feed-index';
import type { ChangeNote } from '../../stored/complete-item.ts';

/** A filter for changes. If it has no members, all changes match. */
export interface ChangesFilter {
  /** Only changes at or after this time, in epoch milliseconds, match. */
  since?: number;
  kind?: ChangeKind;
  /** City slugs. A listing must have one of them. */
  city?: readonly string[];
  category?: readonly string[];
}

/** Returns whether the filter needs details, which entries from 1.1.0 do not have. */
export const needsDetails = ({ kind, city, category }: ChangesFilter): boolean =>
  (kind !== undefined && kind !== 'removed') || city !== undefined || category !== undefined;

type Query = estypes.QueryDslQueryContainer;

/**
 * Returns the parts of a search for entries that match a filter. If a search counts the kinds of changes,
 * which `since` requires, its query matches every kind, and `kind` limits only the hits.
 * @param range matches the entries to which the hits and the counts are limited
 */
export function entrySearch(
  range: Query,
  filter: ChangesFilter,
): Pick<estypes.SearchRequest, 'query' | 'post_filter'> {
  const { kind, ...others } = filter;
  const isCounted = filter.since !== undefined && kind !== undefined;
  return {
    query: { bool: { filter: [range, ...entryClauses(isCounted ? others : filter)] } },
    ...(isCounted && { post_filter: changedSince(kind, filter.since) }),
  };
}

/**
 * Returns the clauses that an entry must match. Their number is constant, except for the values of the lists.
 */
export function entryClauses({ since, kind, city, category }: ChangesFilter): Query[] {
  const clauses: Query[] = [];
  if (kind !== undefined || since !== undefined) {
    const should = (kind === undefined ? CHANGE_KINDS : [kind]).map((one) => changedSince(one, since));
    // The kind of these entries is unknown.
    if (kind === undefined) should.push({ bool: { filter: [within('at', since), WITHOUT_TIMES] } });
    clauses.push(anyOf(should));
  }
  if (city !== undefined) clauses.push({ terms: { city: [...city] } });
  if (category !== undefined) clauses.push({ terms: { category: [...category] } });
  return clauses;
}

/** The only time in an entry from 1.1.0 is the time of the write. */
const WITHOUT_TIMES: Query = {
  bool: { must_not: CHANGE_KINDS.map((kind) => ({ exists: { field: `times.${kind}` } })) },
};

const anyOf = (should: Query[]): Query => ({ bool: { should, minimum_should_match: 1 } });

const within = (field: string, since: number | undefined): Query =>
  since === undefined
    ? { exists: { field } }
    : { range: { [field]: { gte: since, format: 'epoch_millis' } } };

/** Matches the entries for listings with a change of this kind. */
export function changedSince(kind: ChangeKind, since: number | undefined): Query {
  const changed = within(`times.${kind}`, since);
  if (kind !== 'removed') return changed;
  const filter = [{ term: { state: 'deleted' } }, within('at', since), WITHOUT_TIMES];
  return anyOf([changed, { bool: { filter } }]);
}

/**
 * Returns the change that an entry shows to a reader whose copy of the feed dates from `since`. A listing
 * that has entered the feed since then is new, whatever has changed afterwards. Otherwise, the last change
 * counts. Pure.
 * @param state whether the listing is in the feed now. If this differs from the entry, a later entry follows.
 */
export function noteOf(
  { at, times = {}, previous_price: previousPrice }: ChangeEntry,
  state: ChangeState,
  { since, kind }: ChangesFilter = {},
): ChangeNote {
  const { removed, ...others } = times;
  if (state === 'deleted') return { at: removed ?? latestChange(others)?.at ?? at, kind: 'removed' };
  const isSince = (time: number | undefined) => since !== undefined && time !== undefined && time >= since;
  const asked = kind ?? (isSince(others.new) ? 'new' : undefined);
  const askedAt = asked && others[asked as keyof typeof others];
  const shown = askedAt === undefined ? latestChange(others) : { kind: asked, at: askedAt };
  if (!shown?.kind) return { at: removed ?? at };
  const showsPrice = shown.kind === 'price' || (shown.kind !== 'new' && isSince(others.price));
  return { ...shown, ...(showsPrice && previousPrice !== undefined && { previousPrice }) } as ChangeNote;
}
