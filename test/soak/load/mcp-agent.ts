import { setTimeout as sleep } from 'node:timers/promises';
import { addDays, TODAY } from '@vitrine/fixtures';
import type { Failure } from '../plan/windows.ts';
import type { ClientContext } from './clients.ts';

interface ToolAnswer {
  result?: {
    isError?: boolean;
    content?: { text?: string }[];
    structuredContent?: Record<string, unknown>;
  };
}

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** Asks the tools over MCP: searches, listings that it has found, stays, values and changes. */
export async function askTools(context: ClientContext): Promise<void> {
  const { client, ledger, random, signal } = context;
  let ids: string[] = [];
  for (let id = 1; ; id++) {
    const { name, args } = question(context, ids);
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, arguments: args },
    });
    const { text } = await client.get('mcp', '/mcp', { headers: HEADERS, body, judge: failureOf });
    const { result } = JSON.parse(text) as ToolAnswer;
    const { items, total } = (result?.structuredContent ?? {}) as {
      items?: { id: string; price: number }[];
      total?: number;
    };
    if (items && items.length > 0) ids = items.map((item) => item.id);
    if (items && (total ?? 0) < items.length)
      ledger.violate(`mcp ${name}: ${items.length} items of ${total}`);
    await sleep(random.integer(500, 2_000), undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

function question({ random, steady }: ClientContext, ids: readonly string[]): { name: string; args: object } {
  const date = addDays(TODAY, random.integer(0, 8));
  const dates = { date, date_to: addDays(date, 2) };
  const id = random.pick(random.chance(0.5) && ids.length > 0 ? ids : steady) ?? '';
  return random.pick<{ name: string; args: object }>([
    { name: 'search_listings', args: { ad_type: 'rent', ...dates } },
    { name: 'search_listings', args: { ...dates, nights: 2, sort: 'total_price' } },
    { name: 'search_listings', args: { city: random.pick(['Curitiba', 'Recife']), max_price: 900 } },
    { name: 'get_listing', args: { id } },
    { name: 'check_availability', args: { id, ...dates } },
    { name: 'list_facets', args: { facet: 'city' } },
    { name: 'list_changes', args: {} },
  ]);
}

/**
 * A call fails within a response with status 200 (docs/reference/agents.md). An unknown listing is not a
 * failure, because a listing may disappear between two calls.
 */
export function failureOf(text: string): Failure | undefined {
  const { result } = JSON.parse(text) as ToolAnswer;
  if (result === undefined) return { kind: 'status', status: 500, retryAfter: null };
  if (result.isError !== true) return undefined;
  const message = result.content?.[0]?.text ?? '';
  const seconds = /Try again in (\d+) seconds/.exec(message)?.[1];
  if (seconds !== undefined) return { kind: 'status', status: 503, retryAfter: seconds };
  return /^No listing has the id/.test(message)
    ? undefined
    : { kind: 'status', status: 500, retryAfter: null };
}
