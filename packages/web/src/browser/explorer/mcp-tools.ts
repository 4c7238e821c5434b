import type { Facet } from '@vitrine/feed-index/filters';
import { addDays } from '../components/calendar-dates.ts';
import type { Addresses, Availability } from './feed-page.ts';
import { mcpArguments } from './request-forms.ts';
import type { SearchState } from './search-state.ts';

export interface FacetValue {
  value: string;
  label: string;
  count: number;
}

/** Lists the values of a filter under the other filters. @param query the beginning of the value */
export async function readFacet(
  addresses: Addresses,
  facet: Facet,
  state: SearchState,
  query: string,
  signal: AbortSignal,
): Promise<FacetValue[]> {
  const filters = mcpArguments(state);
  // The order has no meaning for counts.
  for (const name of [facet, 'sort']) delete filters[name];
  const { values } = await callTool<{ values: FacetValue[] }>(
    addresses,
    'list_facets',
    { facet, ...filters, ...(query !== '' && { query: query.slice(0, 200) }), limit: 100 },
    signal,
  );
  return values;
}

export interface EmptyReason {
  without: { filter: string; total: number }[];
  suggestions?: Record<string, FacetValue[]>;
}

/** Asks why a search found nothing. */
export const readEmptyReason = (addresses: Addresses, state: SearchState, signal: AbortSignal) =>
  callTool<EmptyReason>(addresses, 'search_listings', { ...mcpArguments(state), limit: 1 }, signal);

interface CalendarRange {
  from: string;
  to: string;
  available: boolean;
  price: number;
}

/** Reads the dates of one listing, for example because the feed has only the requested dates. */
export async function readCalendar(
  addresses: Addresses,
  id: string,
  first: string,
  last: string,
  signal: AbortSignal,
): Promise<Availability[]> {
  const { calendar } = await callTool<{ calendar: CalendarRange[] }>(
    addresses,
    'get_listing',
    { id, date: first, date_to: last },
    signal,
  );
  return calendar.flatMap(({ from, to, available, price }) => {
    const dates: Availability[] = [];
    for (let date = from; date <= to; date = addDays(date, 1)) dates.push({ date, available, price });
    return dates;
  });
}

let calls = 0;

/** Calls an MCP tool over Streamable HTTP, without a session. Rejects with the words of the service. */
async function callTool<T>(
  { mcp }: Addresses,
  name: string,
  args: Record<string, unknown>,
  signal: AbortSignal,
): Promise<T> {
  const response = await fetch(mcp, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2025-11-25',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: ++calls,
      method: 'tools/call',
      params: { name, arguments: args },
    }),
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
