import type { estypes } from '@elastic/elasticsearch';
import {
  CHANGE_KINDS,
  type ChangeEntry,
  type ChangeKind,
  type ChangeState,
  latestChange,
} from '@vitrine/feed-index';
import type { ChangeNote } from '../../stored/complete-item.ts';

/** Narrows changes. Without members, all changes match. */
export interface ChangesFilter {
  /** Only changes at or after this time, epoch milliseconds. */
  since?: number;
  kind?: ChangeKind;
  /** Slugs. A listing must have one of them. */
  city?: readonly string[];
  category?: readonly string[];
}

/** Whether entries of 1.1.0, which have no details, cannot answer the filter. */
export const needsDetails = ({ kind, city, category }: ChangesFilter): boolean =>
  (kind !== undefined && kind !== 'removed') || city !== undefined || category !== undefined;

type Query = estypes.QueryDslQueryContainer;

/** The clauses that an entry must match. Their number is constant, except for the values of the lists. */
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

/** The time of the write is the only time of an entry of 1.1.0. */
const WITHOUT_TIMES: Query = {
  bool: { must_not: CHANGE_KINDS.map((kind) => ({ exists: { field: `times.${kind}` } })) },
};

const anyOf = (should: Query[]): Query => ({ bool: { should, minimum_should_match: 1 } });

const within = (field: string, since: number | undefined): Query =>
  since === undefined
    ? { exists: { field } }
    : { range: { [field]: { gte: since, format: 'epoch_millis' } } };

/** The entries of listings with a change of this kind. */
export function changedSince(kind: ChangeKind, since: number | undefined): Query {
  const changed = within(`times.${kind}`, since);
  if (kind !== 'removed') return changed;
  const filter = [{ term: { state: 'deleted' } }, within('at', since), WITHOUT_TIMES];
  return anyOf([changed, { bool: { filter } }]);
}

/**
 * Says what an entry shows to a reader with the feed of the time `since`: a listing that has entered the
 * feed since then is new, whatever has changed afterwards. Otherwise, the last change counts. Pure.
 * @param state whether the listing is in the feed now. If it is not as the entry says, a later entry follows.
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
