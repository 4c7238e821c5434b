import { CHANGE_KINDS, type ChangeKind, type FeedItem, stateCodeOf } from '@vitrine/feed-index';
import type { FilterArguments } from '@vitrine/feed-index/filters';
import type { RequestBudget } from '../budget/request-budget.ts';
import { spellingsOf } from '../filters/apostrophes.ts';
import { valuesOf } from '../filters/filter.ts';
import { readGivenTime } from '../request/given-time.ts';
import type { ChangesFilter } from '../search/changes/changes-filter.ts';
import type { ChangesSearch } from '../search/changes/changes-search.ts';
import type { KindCounts } from '../search/changes/kind-counts.ts';
import type { Change } from '../stored/complete-item.ts';
import {
  address,
  clipped,
  identifier,
  instant,
  joined,
  quoted,
  type Shown,
  say,
  table,
} from './answer-text.ts';
import { answerTime, todayText } from './answer-time.ts';
import { type Answer, type Draft, MAX_TOKENS } from './token-budget.ts';
import { BadArguments, criteriaOf } from './tool-arguments.ts';

export interface ChangesArguments extends Pick<FilterArguments, 'city' | 'category'> {
  after: number;
  limit: number;
  since?: string;
  kind?: ChangeKind;
}

/** The changes after the given number are no longer kept. */
export class ExpiredChanges extends Error {
  constructor() {
    super(
      'The changes after this number are no longer kept. Start over with after 0, which returns every current ' +
        'listing once.',
    );
    this.name = 'ExpiredChanges';
  }
}

const MAX_TITLE = 300;
/** The limits for a change that does not fit otherwise. */
const SHORT = { title: 100, urlBytes: 300 };

/**
 * Lists what has changed in the feed after a change number (docs/reference/rules.md#changes).
 * @param today YYYY-MM-DD
 * @throws BadArguments, ExpiredChanges, BudgetExceeded; the errors of ChangesSearch
 */
export async function listChanges(
  changes: Pick<ChangesSearch, 'page'>,
  today: string,
  args: ChangesArguments,
  signal: AbortSignal,
  budget: RequestBudget,
): Promise<Draft> {
  const { after, limit } = args;
  const filter = filterOf(args);
  const page = await changes.page(after, limit, signal, budget, filter);
  if (page.kind === 'expired') throw new ExpiredChanges();
  const all: ChangeRow[] = [];
  for (const change of page.changes) {
    all.push(rowOf(change));
    await budget.worked(bytesOf(change));
  }
  const render = (rows: readonly ChangeRow[], count: number): Answer => {
    const shown = rows.slice(0, count);
    const truncated = count < rows.length;
    // A change that fits in no form is skipped, so that the client does not stop at it.
    const next = truncated ? (rows[Math.max(count, 1) - 1]?.modified ?? after) : page.upTo;
    const isLast = !page.mayContinue && !truncated;
    return {
      text: joined(
        [
          say`${count} changes after ${after}${sinceText(filter)}. ${isLast ? 'These are all changes.' : 'Further changes may follow.'} ${todayText(today)}`,
          ...(page.counts ? [countsText(page.counts)] : []),
          ...table(shown.map(cellsOf)),
          ...(truncated ? [say`truncated: further changes did not fit into this answer`] : []),
          say`next_after: ${next}`,
        ],
        '\n',
      ),
      structured: {
        changes: shown,
        ...(page.counts && { counts: page.counts }),
        next_after: next,
        has_more: !isLast,
        ...(truncated && { truncated }),
        ...answerTime(today),
        currency: 'BRL',
      },
    };
  };
  return {
    budget: MAX_TOKENS,
    elements: all.length,
    render: (count) => render(all, count),
    brief: (count) => render(all.map(shortRow), count),
  };
}

/** @throws BadArguments */
function filterOf({ since: text, kind, city, category }: ChangesArguments): ChangesFilter {
  const since = text === undefined ? undefined : readGivenTime(text);
  if (text !== undefined && since === undefined)
    throw new BadArguments([
      {
        argument: 'since',
        detail: 'must be a date (YYYY-MM-DD) or a time such as 2026-11-25T08:00:00-03:00',
      },
    ]);
  const slugs = criteriaOf({ ...(city && { city }), ...(category && { category }) }, 1);
  return {
    ...(since !== undefined && { since }),
    ...(kind && { kind }),
    ...(slugs.city !== undefined && { city: valuesOf(slugs.city).flatMap(spellingsOf) }),
    ...(slugs.category !== undefined && { category: valuesOf(slugs.category) }),
  };
}

const sinceText = ({ since }: ChangesFilter): Shown =>
  since === undefined ? say`` : say` since ${instant(since)}`;

const countsText = (counts: KindCounts): Shown =>
  say`Listings by kind of change: ${joined(
    CHANGE_KINDS.map((kind) => say`${counts[kind]} ${kind}`),
    ', ',
  )}. A listing may count toward several kinds.`;

interface ChangeRow {
  id: string;
  state: 'updated' | 'deleted';
  /** The kind is absent if the entry does not state it. */
  kind?: ChangeKind;
  /** RFC 3339, to the second. */
  at: Shown;
  modified: number;
  title?: string;
  price?: number;
  previous_price?: number;
  city?: string;
  url?: string;
}

const cellsOf = ({ id, state, kind, at, ...listing }: ChangeRow): Shown[] => {
  const { title, price = 0, previous_price: before, city = '', url = '' } = listing;
  return [
    identifier(id),
    say`${kind ?? state}`,
    say`${at}`,
    ...(title === undefined
      ? []
      : [
          quoted(title),
          before === undefined ? say`${price}` : say`${price} (before: ${before})`,
          quoted(city),
          ...(url === '' ? [] : [address(url)]),
        ]),
  ];
};

/** Returns a row without a long URL, and with a short title. Every answer has room for one such row. */
function shortRow({ title, url, ...row }: ChangeRow): ChangeRow {
  const isShort = url !== undefined && Buffer.byteLength(url) <= SHORT.urlBytes;
  return {
    ...row,
    ...(title !== undefined && { title: clipped(title, SHORT.title) }),
    ...(isShort && { url }),
  };
}

/** Cities in different states can have the same name. */
function cityOf({ city, state }: FeedItem['location']): string {
  const code = stateCodeOf(state ?? '');
  return code === undefined ? city : `${city}, ${code.toUpperCase()}`;
}

const bytesOf = ({ item }: Change): number => item?.data.reduce((sum, part) => sum + part.length, 0) ?? 0;

function rowOf({ id, modified, note: { kind, at, previousPrice }, item }: Change): ChangeRow {
  const noted = { ...(kind && { kind }), at: instant(at), modified };
  if (!item) return { id, state: 'deleted', ...noted };
  const { title, price, location, url } = JSON.parse(Buffer.concat(item.data).toString()) as FeedItem;
  return {
    id,
    state: 'updated',
    ...noted,
    title: clipped(title, MAX_TITLE),
    price,
    ...(previousPrice !== undefined && { previous_price: previousPrice }),
    city: clipped(cityOf(location), 100),
    url,
  };
}
