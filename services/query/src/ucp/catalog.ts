import type { Stay } from '../agents/calendar.ts';
import type { Listing, ListingPage, ListingSource, ListingSources } from '../agents/listing-source.ts';
import type { RequestBudget } from '../budget/request-budget.ts';
import { isTooLarge } from '../budget/request-budget.ts';
import { FILTERS } from '../filters/index.ts';
import { addDays } from '../request/calendar-dates.ts';
import type { FeedCriteria } from '../request/criteria.ts';
import { encodeCursor } from '../request/cursor.ts';
import { info, type Message } from './messages.ts';
import { type Product, type ProductOptions, productOf } from './product.ts';
import { type ReadFilters, readLookup, readProduct, readSearch } from './requests.ts';
import { EXTENSION_VERSION, LOOKUP_CAPABILITY, SEARCH_CAPABILITY, UCP_VERSION } from './ucp-names.ts';

/** UCP's metadata in a response (ucp.json, response_catalog_schema). */
interface Envelope {
  version: string;
  status?: 'error';
  capabilities: Record<string, { version: string }[]>;
}

/** The body of a UCP response, independent of its transport. */
export interface UcpResponse {
  ucp: Envelope;
  products?: Product[];
  product?: Product;
  pagination?: { has_next_page: boolean; cursor?: string; total_count: number };
  messages?: Message[];
}

/** The parts of a request that are not in its body. */
export interface UcpCall {
  /** The name of the extension at the origin of this request. */
  extension: string;
  signal: AbortSignal;
  /** The budget of the whole request, which all calls in a batch share. */
  budget: RequestBudget;
}

export type UcpOperation = 'search' | 'lookup' | 'product';

/**
 * An operation of the catalog. It throws UcpRefusal if the body is not valid, and the errors of
 * ListingSource.
 * @param body the JSON value that the client sent
 */
export type Operate = (body: unknown, call: UcpCall) => Promise<UcpResponse>;

const MAX_SHOWN_ID = 200;

/** Creates the three operations of the catalog. Rule: docs/reference/ucp.md. */
export function createCatalog(sources: ListingSources): Record<UcpOperation, Operate> {
  return {
    search: async (body, { extension, signal, budget }) => {
      const request = readSearch(body);
      const { criteria, stay, messages } = request;
      const ucp = envelope(SEARCH_CAPABILITY, extension, request);
      try {
        const source = sources(budget);
        const page = await source.page(criteria, signal, 'none');
        const options = { stay, today: source.today() };
        const { products, shown, tooLarge } = await productsOf(page.listings, options, budget);
        return {
          ucp,
          products,
          pagination: paginationOf(criteria, page, shown),
          // UCP requires an empty result without messages (CAT-012).
          ...withMessages(page.total === 0 ? [] : [...messages, ...tooLarge]),
        };
      } catch (error) {
        if (!isTooLarge(error)) throw error;
        const message = 'The products of this page are too large for one request.';
        return failed(ucp, RESPONSE_TOO_LARGE, message, 'recoverable');
      }
    },
    lookup: async (body, { extension, signal, budget }) => {
      const request = readLookup(body);
      const { ids, criteria, stay } = request;
      const source = sources(budget);
      const { found, unread } = await source.byIds(ids, stay && datesOf(stay), signal);
      const options = { stay, today: source.today() };
      const products: Product[] = [];
      const messages = [...request.messages];
      for (const id of ids) {
        const listing = found.get(id);
        if (unread.has(id)) messages.push(responseTooLarge(id));
        else if (!listing) messages.push(info('not_found', id));
        else if (!passes(listing, criteria)) messages.push(info('filtered_out', id));
        else {
          const product = await counted(correlated(productOf(listing, options), id), budget);
          if (product) products.push(product);
          else messages.push(responseTooLarge(id));
        }
      }
      return { ucp: envelope(LOOKUP_CAPABILITY, extension, request), products, ...withMessages(messages) };
    },
    product: async (body, { extension, signal, budget }) => {
      const request = readProduct(body);
      const { id, criteria, stay, messages } = request;
      const ucp = envelope(LOOKUP_CAPABILITY, extension, request);
      const source = sources(budget);
      const calendarUntil = lastDate(source, stay);
      const { found, unread } = await source.byIds([id], [source.today(), calendarUntil], signal);
      const listing = found.get(id);
      const shownId = id.slice(0, MAX_SHOWN_ID);
      const tooLarge = () =>
        failed(
          ucp,
          RESPONSE_TOO_LARGE,
          `The product is too large for this response: ${shownId}`,
          'recoverable',
        );
      if (unread.has(id)) return tooLarge();
      if (!listing) return failed(ucp, 'not_found', `Product not found: ${shownId}`, 'unrecoverable');
      if (!passes(listing, criteria))
        return failed(
          ucp,
          'filtered_out',
          `The product exists, but it does not match the filters: ${shownId}`,
          'recoverable',
        );
      const options = { stay, calendarUntil, today: source.today() };
      const product = await counted(productOf(listing, options), budget);
      return product ? { ucp, product, ...withMessages(messages) } : tooLarge();
    },
  };
}

const datesOf = ({ date, dateTo }: Stay): [string, string] => [date, dateTo];

const RESPONSE_TOO_LARGE = 'response_too_large';
/** The product exists or may exist. Another request can ask for it alone. */
const responseTooLarge = (id: string): Message => info(RESPONSE_TOO_LARGE, id);

/** Counts a product in the response. @returns undefined if the budget has no room for it */
async function counted(product: Product, budget: RequestBudget): Promise<Product | undefined> {
  const characters = JSON.stringify(product).length;
  await budget.worked(characters);
  try {
    budget.serialized(characters);
    return product;
  } catch (error) {
    if (isTooLarge(error)) return undefined;
    throw error;
  }
}

/**
 * Returns the first listings as products, as many as the budget has room for. A product that is too large for
 * a whole response is skipped, and a message names it.
 * @returns also the number of listings that the products and the messages stand for
 */
async function productsOf(listings: readonly Listing[], options: ProductOptions, budget: RequestBudget) {
  const products: Product[] = [];
  const tooLarge: Message[] = [];
  let shown = 0;
  for (const listing of listings) {
    const product = await counted(productOf(listing, options), budget);
    if (product) products.push(product);
    else if (products.length === 0) tooLarge.push(responseTooLarge(listing.item.id));
    else break;
    shown++;
  }
  return { products, shown, tooLarge };
}

/** The calendar ends at the horizon, or at the end of the requested dates. */
const lastDate = (source: ListingSource, stay: Stay | undefined): string => {
  const horizon = addDays(source.today(), source.horizonDays - 1);
  return stay && stay.dateTo > horizon ? stay.dateTo : horizon;
};

/**
 * A response names the extension only if its request used the extension, because a caller's profile is not
 * read.
 */
const envelope = (capability: string, extension: string, { usesExtension }: ReadFilters): Envelope => ({
  version: UCP_VERSION,
  capabilities: {
    [capability]: [{ version: UCP_VERSION }],
    ...(usesExtension && { [extension]: [{ version: EXTENSION_VERSION }] }),
  },
});

const withMessages = (messages: Message[]): Pick<UcpResponse, 'messages'> =>
  messages.length === 0 ? {} : { messages };

/** Creates an error response, which has no result (UCP's error_response.json). */
const failed = (
  ucp: Envelope,
  code: string,
  content: string,
  severity: 'recoverable' | 'unrecoverable',
): UcpResponse => ({
  ucp: { ...ucp, status: 'error' },
  messages: [{ type: 'error', code, content, severity }],
});

/** UCP, "Client Correlation": the id of a listing is the id of its variant. */
function correlated(product: Product, id: string): Product {
  const [variant] = product.variants;
  return { ...product, variants: [{ ...variant, inputs: [{ id, match: 'exact' }] }] };
}

/** @param shown the number of listings that the response stands for */
function paginationOf(
  criteria: FeedCriteria,
  { total, positions, hasMore }: ListingPage,
  shown: number,
): NonNullable<UcpResponse['pagination']> {
  const last = positions[shown - 1];
  return (hasMore || shown < positions.length) && last
    ? { has_next_page: true, cursor: encodeCursor(criteria, last), total_count: total }
    : { has_next_page: false, total_count: total };
}

/** Returns whether a listing that was found by its id passes the filters that apply to lookups. */
const passes = (listing: Listing, criteria: FeedCriteria): boolean =>
  FILTERS.every((filter) => filter.passes?.(listing, criteria) ?? true);
