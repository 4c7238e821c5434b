import { dayAfterToday } from '../dataset.ts';
import { get, type HttpConnection, type HttpRequest } from '../http-connection.ts';
import { type Ask, bodyOf, type Latency, latency, measure } from '../measure.ts';
import type { McpConnection } from './mcp-connection.ts';
import { slugOf } from './oracle/oracle-listing.ts';

const WARM_UP_MS = 8_000;
const FACET_SAMPLES = 200;
const FACET_WARM_UP = 20;
/** The ranges have 2 to 5 dates, and begin on 37 dates per side. */
const SHORTEST = 2;
const LENGTHS = 4;
const FIRST_DAY = 5;
const FIRST_DAYS = 37;
/**
 * A limit that excludes nothing. It makes the feed count the stays on other dates, as the tool always does.
 */
const WITH_STAYS = { min_total_price: '0' };
/** The largest cities of the market. */
const CITIES = [
  'São Paulo',
  'Rio de Janeiro',
  'Florianópolis',
  'Curitiba',
  'Belo Horizonte',
  'Salvador',
  'Porto Alegre',
  'Fortaleza',
  'Brasília',
  'Recife',
  'Goiânia',
  'Campinas',
].map(slugOf);

/**
 * The city and dates of the request with this number. More than 1,700 requests in a row differ, because the
 * service keeps a request's counts for 5 s.
 * @param side 0 or 1; the sides never ask for the same dates, so neither benefits from the other's counts
 */
function stay(number: number, side: 0 | 1): { city: string; date: string; date_to: string } {
  const turn = Math.floor(number / CITIES.length);
  const first = FIRST_DAY + 2 * (turn % FIRST_DAYS) + side;
  const length = SHORTEST + (Math.floor(turn / FIRST_DAYS) % LENGTHS);
  return {
    city: CITIES[number % CITIES.length] as string,
    date: dayAfterToday(first),
    date_to: dayAfterToday(first + length - 1),
  };
}

/** @throws if the response is not a tool's successful result */
async function toolBody(connection: HttpConnection, request: HttpRequest): Promise<Buffer> {
  const body = await bodyOf(connection, request);
  if (!body.includes('"structuredContent"') || body.includes('"isError":true'))
    throw new Error(`tool: ${body.toString().slice(0, 500)}`);
  return body;
}

/**
 * Measures one `search_listings` with city and dates, and the same page of the agent feed with the stays on other
 * dates, in turn.
 * @param pageSize number of items on both sides
 */
export async function searchSpeed(
  mcp: McpConnection,
  connection: HttpConnection,
  pageSize: number,
): Promise<{ tool: Latency; feed: Latency }> {
  const request = await mcp.requestsLike('search_listings', { ...stay(0, 0), limit: pageSize });
  const askTool: Ask = (number) => toolBody(connection, request({ ...stay(number, 0), limit: pageSize }));
  const askFeed: Ask = (number) => {
    const query = new URLSearchParams({
      ...stay(number, 1),
      ...WITH_STAYS,
      pageSize: String(pageSize),
    });
    return bodyOf(connection, get(`/api/ai-feed?${query}`));
  };
  const end = performance.now() + WARM_UP_MS;
  let asked = 0;
  for (; performance.now() < end; asked++) {
    await askTool(asked);
    await askFeed(asked);
  }
  // The measured requests continue the numbering, because the service still has the last requests' counts.
  const { tool, feed } = await measure<'tool' | 'feed'>({
    tool: (number) => askTool(asked + number),
    feed: (number) => askFeed(asked + number),
  });
  if (!tool || !feed) throw new Error('a side was not measured');
  return { tool, feed };
}

/** Measures `list_facets` by city over the whole market, one request after the other. */
export async function facetSpeed(mcp: McpConnection, connection: HttpConnection): Promise<Latency> {
  const args = { facet: 'city', limit: 20 };
  const request = await mcp.requestsLike('list_facets', args);
  const ms: number[] = [];
  for (let number = 0; number < FACET_WARM_UP + FACET_SAMPLES; number++) {
    const start = performance.now();
    await toolBody(connection, request(args));
    if (number >= FACET_WARM_UP) ms.push(performance.now() - start);
  }
  return latency(ms);
}
