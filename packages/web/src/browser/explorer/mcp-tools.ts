import type { Facet } from '@vitrine/feed-index/filters';
import { ADDRESSES } from './addresses.ts';
import { mcpArguments, toolCall } from './request-forms.ts';
import { PAGE_SIZE, type SearchState } from './search-state.ts';

export interface FacetValue {
  value: string;
  label: string;
  count: number;
}

/** Lists the values of a filter under the other filters. @param query the beginning of the value */
export async function readFacet(
  facet: Facet,
  state: SearchState,
  query: string,
  signal: AbortSignal,
): Promise<FacetValue[]> {
  const filters = mcpArguments(state);
  // The order has no meaning for counts.
  for (const name of [facet, 'sort']) delete filters[name];
  const { values } = await callTool<{ values: FacetValue[] }>(
    'list_facets',
    { facet, ...filters, ...(query !== '' && { query: query.slice(0, 200) }), limit: 100 },
    signal,
  );
  return values;
}

export interface EmptyReason {
  without: { filter: string; total: number }[];
  /** The listings that match the other filters, but whose calendars do not contain all dates. */
  calendar_unknown?: number;
  suggestions?: Record<string, FacetValue[]>;
}

/** Asks why a search found nothing. */
export const readEmptyReason = (state: SearchState, signal: AbortSignal) =>
  callTool<EmptyReason>('search_listings', { ...mcpArguments(state), limit: 1 }, signal);

interface NearRow {
  id: string;
  distance_km?: number;
}

/** An answer has a limited size, so the rows of a page may need several calls. */
const MAX_CALLS = 3;

/**
 * Whether the tool can give distances. The tool has no page numbers, so it knows only the first page and
 * cursors.
 */
export const hasDistances = ({ lat, page }: SearchState): boolean => lat !== undefined && page === undefined;

/** Reads the distances of a page's listings, in kilometers by id, because the feeds do not contain them. */
export async function readDistances(
  state: SearchState,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const distances = new Map<string, number>();
  let cursor = state.cursor === '*' ? undefined : state.cursor;
  for (let call = 0; call < MAX_CALLS && distances.size < PAGE_SIZE; call++) {
    const { items, next_cursor } = await callTool<{ items: NearRow[]; next_cursor?: string }>(
      'search_listings',
      { ...mcpArguments(state), limit: PAGE_SIZE, detail: 'detailed', ...(cursor && { cursor }) },
      signal,
    );
    for (const { id, distance_km } of items) if (distance_km !== undefined) distances.set(id, distance_km);
    if (next_cursor === undefined) break;
    cursor = next_cursor;
  }
  return distances;
}

let calls = 0;

/** Calls an MCP tool over Streamable HTTP, without a session. Rejects with the service's message. */
export async function callTool<T>(
  name: string,
  args: Record<string, unknown>,
  signal: AbortSignal,
): Promise<T> {
  const response = await fetch(ADDRESSES.mcp, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2025-11-25',
    },
    body: JSON.stringify(toolCall(name, args, ++calls)),
    signal,
  });
  const body = (await response.json()) as {
    result?: { structuredContent?: T; isError?: boolean; content?: { text?: string }[] };
    error?: { message: string };
  };
  const content = body.result?.structuredContent;
  if (content === undefined || body.result?.isError)
    throw new Error(body.error?.message ?? body.result?.content?.[0]?.text ?? `${response.status}`);
  return content;
}
