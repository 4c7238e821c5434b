import type { estypes } from '@elastic/elasticsearch';
import { dayNumber } from '@vitrine/feed-index';
import type { RequestBudget } from '../../budget/request-budget.ts';
import type { StayWindow } from '../../request/stay-window.ts';
import { toCents, toPrice } from '../../stored/cheapest-stay.ts';
import { readNights } from '../../stored/packed-nights.ts';
import { allOf, type Clause, field } from '../order/feed-order.ts';
import { PageTooLarge } from '../search-failure.ts';

/**
 * Searches one point in time.
 * @param clauses the clauses of the request's query
 */
export type NightSearch = (request: estypes.SearchRequest, clauses: readonly Clause[]) => Promise<NightHits>;

/** The parts of a request that a scan uses. */
export interface NightReader {
  search: NightSearch;
  /** The budget toward which the evaluated calendars count. */
  budget: Pick<RequestBudget, 'worked'>;
}

interface NightHits {
  hits: { hits: { sort?: estypes.SortResults; fields?: Record<string, unknown> }[] };
}

/** Some of the items in a scan. */
export interface ScannedItems<T> {
  items: T[];
  /**
   * How far the scan has advanced. No later item has a total before this one in the scan's order. The member
   * is undefined after the last item.
   */
  reached: { total: number; id: string } | undefined;
}

/** Which items a scan reads, and in which order. */
export interface NightScan {
  clauses: readonly Clause[];
  stay: StayWindow;
  /**
   * The scan orders the items by the lowest nightly price, ascending, or by the highest one, descending. The id
   * breaks ties.
   */
  from: 'lowest' | 'highest';
  /** Number of items in the first slice. The following slices are longer. */
  firstSlice?: number;
  /** Further fields that `evaluate` receives. */
  fields?: readonly string[];
}

const FIRST_SLICE = 64;
/** Maximum number of items that one turn of the event loop evaluates. */
const MAX_SLICE = 1_000;
const GROWTH = 4;
/**
 * The work that Elasticsearch and this process do for one calendar, expressed as bytes of work. 20,000
 * calendars take seconds, so they cost a client about 80 requests.
 */
const WORK_PER_ITEM = 2_048;

const ORDERS = {
  lowest: { [field('lowest_night')]: 'asc' },
  highest: { [field('highest_night')]: 'desc' },
} as const;

/**
 * Reads the packed calendars of items, slice by slice. Elasticsearch does not compute totals, because the
 * distribution without modules has no scripts (docs/decisions/0119-totals-without-scripts.md).
 * @param evaluate receives an item's id, the price of each night of the window in cents, and the values of
 * the further fields. The array of prices is valid only during the call.
 */
export async function* scanNights<T>(
  { clauses, stay, from, firstSlice = FIRST_SLICE, fields: further = [] }: NightScan,
  evaluate: (id: string, cents: Float64Array, fields: Record<string, unknown>) => T,
  { search, budget }: NightReader,
): AsyncGenerator<ScannedItems<T>> {
  const first = dayNumber(stay.first);
  const cents = new Float64Array(Math.max(dayNumber(stay.last) - first + 1, 0));
  let after: estypes.SortResults | undefined;
  let maxSlice = MAX_SLICE;
  for (let size = Math.min(firstSlice, maxSlice); ; size = Math.min(size * GROWTH, maxSlice)) {
    const read = (size: number) =>
      search(
        {
          size,
          track_total_hits: false,
          _source: false,
          stored_fields: '_none_',
          docvalue_fields: [field('nights'), ...further],
          sort: [ORDERS[from], { [field('id')]: 'asc' }],
          query: allOf([...clauses]),
          ...(after && { search_after: after }),
        },
        clauses,
      );
    let found: NightHits | undefined;
    while (!found)
      found = await read(size).catch((error: unknown) => {
        if (!(error instanceof PageTooLarge) || size === 1) throw error;
        // These calendars are longer than usual.
        size = maxSlice = Math.ceil(size / GROWTH);
        return undefined;
      });
    const { hits } = found.hits;
    const items = hits.map(({ sort = [], fields }) => {
      readNights(packedNights(fields), first, cents);
      return evaluate(String(sort[1]), cents, fields ?? {});
    });
    await budget.worked(hits.length * WORK_PER_ITEM);
    after = hits.at(-1)?.sort;
    const isDone = hits.length < size || after === undefined;
    yield { items, reached: isDone ? undefined : reachedAt(after, stay.nights) };
    if (isDone) return;
  }
}

/**
 * Returns the bound for the totals of all later items. An item with equal prices on all nights reaches it.
 */
const reachedAt = ([price, id]: estypes.SortResults = [], nights: number) => ({
  total: toPrice(nights * toCents(Number(price))),
  id: String(id),
});

function packedNights(fields: Record<string, unknown> = {}): Buffer {
  const [packed] = fields[field('nights')] as string[];
  return Buffer.from(packed ?? '', 'base64');
}
