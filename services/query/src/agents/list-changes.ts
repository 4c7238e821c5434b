import type { FeedItem } from '@vitrine/feed-index';
import type { RequestBudget } from '../budget/request-budget.ts';
import type { ChangesSearch } from '../search/changes/changes-search.ts';
import type { Change } from '../stored/complete-item.ts';
import { address, clipped, identifier, joined, quoted, say, table } from './answer-text.ts';
import { answerTime, todayText } from './answer-time.ts';
import { type Answer, type Draft, MAX_TOKENS } from './token-budget.ts';

export interface ChangesArguments {
  after: number;
  limit: number;
}

/** The changes after the number are no longer kept. */
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

/**
 * Lists what has changed in the feed after a change number (docs/reference/rules.md#changes).
 * @param today YYYY-MM-DD
 * @throws ExpiredChanges, BudgetExceeded; the errors of ChangesSearch
 */
export async function listChanges(
  changes: Pick<ChangesSearch, 'page'>,
  today: string,
  { after, limit }: ChangesArguments,
  signal: AbortSignal,
  budget: RequestBudget,
): Promise<Draft> {
  const page = await changes.page(after, limit, signal, budget);
  if (page.kind === 'expired') throw new ExpiredChanges();
  const all: ChangeRow[] = [];
  for (const change of page.changes) {
    all.push(rowOf(change));
    await budget.worked(bytesOf(change));
  }
  const render = (count: number): Answer => {
    const shown = all.slice(0, count);
    const truncated = count < all.length;
    // A change that alone exceeds the budget is passed over.
    const next = all[Math.max(count, 1) - 1]?.modified ?? after;
    const isLast = !page.isFull && !truncated;
    return {
      text: joined(
        [
          say`${count} changes after ${after}. ${isLast ? 'These are all changes.' : 'Further changes may follow.'} ${todayText(today)}`,
          ...table(
            shown.map(({ id, state, title, price = 0, city = '', url = '' }) => [
              identifier(id),
              say`${state}`,
              ...(title === undefined ? [] : [quoted(title), say`${price}`, quoted(city), address(url)]),
            ]),
          ),
          say`next_after: ${next}`,
        ],
        '\n',
      ),
      structured: {
        changes: shown,
        next_after: next,
        has_more: !isLast,
        ...(truncated && { truncated }),
        ...answerTime(today),
        currency: 'BRL',
      },
    };
  };
  return { budget: MAX_TOKENS, elements: all.length, render };
}

interface ChangeRow {
  id: string;
  state: 'updated' | 'deleted';
  modified: number;
  title?: string;
  price?: number;
  city?: string;
  url?: string;
}

const bytesOf = ({ item }: Change): number => item?.data.reduce((sum, part) => sum + part.length, 0) ?? 0;

function rowOf({ id, modified, item }: Change): ChangeRow {
  if (!item) return { id, state: 'deleted', modified };
  const { title, price, location, url } = JSON.parse(Buffer.concat(item.data).toString()) as FeedItem;
  return {
    id,
    state: 'updated',
    modified,
    title: clipped(title, MAX_TITLE),
    price,
    city: clipped(location.city, 100),
    url,
  };
}
