import { slugify } from '@vitrine/listing/text';
import type { Stay } from '../agents/calendar.ts';
import type { Listing } from '../agents/listing.ts';
import { FilterUnavailable, type ListingPage, type ListingSource } from '../agents/listing-source.ts';
import { addDays } from '../request/calendar-dates.ts';
import type { FeedCriteria } from '../request/criteria.ts';
import { encodeCursor } from '../request/cursor.ts';
import { info, type Message } from './messages.ts';
import { type Product, productOf } from './product.ts';
import { type ReadFilters, readLookup, readProduct, readSearch } from './requests.ts';
import { EXTENSION_VERSION, LOOKUP_CAPABILITY, SEARCH_CAPABILITY, UCP_VERSION } from './ucp-names.ts';

/** UCP's metadata of a response (ucp.json, response_catalog_schema). */
interface Envelope {
  version: string;
  status?: 'error';
  capabilities: Record<string, { version: string }[]>;
}

/** The body of a response of UCP, without its transport. */
export interface UcpResponse {
  ucp: Envelope;
  products?: Product[];
  product?: Product;
  pagination?: { has_next_page: boolean; cursor?: string; total_count: number };
  messages?: Message[];
}

/** What a request has in addition to its body. */
export interface UcpCall {
  /** The name of the extension at the origin of this request. */
  extension: string;
  signal: AbortSignal;
}

export type UcpOperation = 'search' | 'lookup' | 'product';

/**
 * An operation of the catalog. It throws UcpRefusal if the body is not valid, and the errors of ListingSource
 * except FilterUnavailable.
 * @param body the JSON value that the client sent
 */
export type Operate = (body: unknown, call: UcpCall) => Promise<UcpResponse>;

/** Ids of listings are not longer, because Elasticsearch limits them to this number of bytes. */
const MAX_ID_BYTES = 512;
const MAX_SHOWN_ID = 200;

/** Creates the three operations of the catalog. Rule: docs/reference/ucp.md. */
export function createCatalog(source: ListingSource): Record<UcpOperation, Operate> {
  const find = async (ids: readonly string[], signal: AbortSignal): Promise<Map<string, Listing>> => {
    const possible = ids.filter(isPossibleId);
    return possible.length === 0 ? new Map() : source.byIds(possible, signal);
  };
  return {
    search: async (body, { extension, signal }) => {
      const request = readSearch(body);
      const { criteria, stay, messages } = request;
      const ucp = envelope(SEARCH_CAPABILITY, extension, request);
      try {
        const page = await source.page(criteria, signal);
        return {
          ucp,
          products: page.listings.map((listing) => productOf(listing, { stay })),
          pagination: paginationOf(criteria, page),
          ...withMessages(messages),
        };
      } catch (error) {
        if (!(error instanceof FilterUnavailable)) throw error;
        return failed(ucp, 'filter_unavailable', error.message, 'recoverable');
      }
    },
    lookup: async (body, { extension, signal }) => {
      const request = readLookup(body);
      const { ids, criteria, stay } = request;
      const found = await find(ids, signal);
      const products: Product[] = [];
      const messages = [...request.messages];
      for (const id of ids) {
        const listing = found.get(id);
        if (!listing) messages.push(info('not_found', id));
        else if (!passes(listing, criteria)) messages.push(info('filtered_out', id));
        else products.push(correlated(productOf(listing, { stay }), id));
      }
      return { ucp: envelope(LOOKUP_CAPABILITY, extension, request), products, ...withMessages(messages) };
    },
    product: async (body, { extension, signal }) => {
      const request = readProduct(body);
      const { id, criteria, stay, messages } = request;
      const ucp = envelope(LOOKUP_CAPABILITY, extension, request);
      const listing = (await find([id], signal)).get(id);
      const shownId = id.slice(0, MAX_SHOWN_ID);
      if (!listing) return failed(ucp, 'not_found', `Product not found: ${shownId}`, 'unrecoverable');
      if (!passes(listing, criteria))
        return failed(
          ucp,
          'filtered_out',
          `The product exists, but it does not match the filters: ${shownId}`,
          'recoverable',
        );
      return {
        ucp,
        product: productOf(listing, { stay, calendarUntil: lastDate(source, stay) }),
        ...withMessages(messages),
      };
    },
  };
}

/** The calendar ends at the horizon, or at the end of the asked dates. */
const lastDate = (source: ListingSource, stay: Stay | undefined): string => {
  const horizon = addDays(source.today(), source.horizonDays - 1);
  return stay && stay.dateTo > horizon ? stay.dateTo : horizon;
};

/** Elasticsearch would reject another id. */
const isPossibleId = (id: string): boolean =>
  id !== '' && id.isWellFormed() && Buffer.byteLength(id) <= MAX_ID_BYTES;

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

/** An outcome without a result. UCP's error_response.json. */
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

function paginationOf(
  criteria: FeedCriteria,
  { total, positions, hasMore }: ListingPage,
): NonNullable<UcpResponse['pagination']> {
  const last = positions.at(-1);
  return hasMore && last
    ? { has_next_page: true, cursor: encodeCursor(criteria, last), total_count: total }
    : { has_next_page: false, total_count: total };
}

/**
 * Whether a listing that was found by its id passes the filters. The asked dates are no filter here: a client
 * that asks for a product wants to know whether it is available.
 */
function passes({ item, adType }: Listing, criteria: FeedCriteria): boolean {
  const { categories, minPrice = 0, maxPrice = Number.POSITIVE_INFINITY } = criteria;
  const { category, sub_category, location, price } = item;
  return (
    (criteria.adType === undefined || adType === criteria.adType) &&
    (criteria.city === undefined || slugify(location.city) === criteria.city) &&
    (categories === undefined || [category, sub_category].some((slug) => categories.includes(slug ?? ''))) &&
    price >= minPrice &&
    price <= maxPrice
  );
}
