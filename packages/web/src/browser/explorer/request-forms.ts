import { argumentOf, FILTER_NAMES, FILTERS, type FilterName, listValues } from '@vitrine/feed-index/filters';
import { shellWord } from '../components/shell-word.ts';
import { PAGE_SIZE, type SearchState } from './search-state.ts';

/** The forms in which the explorer shows a request, each ready to copy. */
export interface RequestForms {
  url: string;
  curl: string;
  fetch: string;
  mcp: string;
}

/** Returns the MCP tool's arguments for the same request. Rule: docs/reference/agents.md. */
export function mcpArguments(state: SearchState): Record<string, unknown> {
  const given = FILTER_NAMES.filter((name) => state[name] !== undefined && state[name] !== false);
  return Object.fromEntries(given.map((name) => [argumentOf(name), argumentValue(name, state[name])]));
}

/** A list in the query string is an array in a tool call. */
function argumentValue(name: FilterName, value: unknown): unknown {
  const values = FILTERS[name].list && typeof value === 'string' ? listValues(value) : [];
  return values.length > 1 ? values : value;
}

/** The JSON-RPC message that calls a tool. */
export const toolCall = (name: string, args: Record<string, unknown>, id = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

/** Returns the request as a URL, a `curl` command, a `fetch` call and an MCP call. @param url absolute */
export function requestForms(state: SearchState, url: string): RequestForms {
  return {
    url,
    curl: `curl ${shellWord(url)}`,
    fetch: `const response = await fetch(${JSON.stringify(url)});\nconst { data, meta } = await response.json();`,
    mcp: JSON.stringify(toolCall('search_listings', { ...mcpArguments(state), limit: PAGE_SIZE }), null, 2),
  };
}
