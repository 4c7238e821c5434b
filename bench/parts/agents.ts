import { tokensOf } from '../agents/answer.ts';
import { askQuestion, brokenPromises } from '../agents/ask-questions.ts';
import { indexMarketChanges, marketChanges, marketListings } from '../agents/market.ts';
import { McpConnection } from '../agents/mcp-connection.ts';
import { oracleListing } from '../agents/oracle/oracle-listing.ts';
import { newestFirst } from '../agents/oracle/selection.ts';
import type { AskedMarket, Question } from '../agents/question.ts';
import { questionRows } from '../agents/question-rows.ts';
import { questionsAbout, questionsOfPeople } from '../agents/questions/index.ts';
import { facetSpeed, searchSpeed } from '../agents/speed.ts';
import { type BenchContext, NOTHING_SHARED, UNCACHED } from '../bench-context.ts';
import { TODAY } from '../dataset.ts';
import type { HttpConnection } from '../http-connection.ts';
import { compared } from '../results.ts';
import type { Subject } from '../subjects.ts';

/** The default number of items in a search, and the highest number. */
const PAGE_SIZES = [5, 20];
const SEARCH_AT_MOST = 1.3;
const FACETS_AT_MOST_MS = 50;

/**
 * Asks twelve questions and the people's fifteen questions through /mcp's tools and through /ai-feed, and
 * counts the calls and tokens. Then measures the time of a search and of facets.
 * @throws if an answer differs from the oracle's, a question needs more than two calls, one of the people's
 *   questions needs more than 2,500 tokens, or the tools do not need five times fewer tokens for the twelve
 */
export async function agents(context: BenchContext): Promise<void> {
  const prefix = await context.market(context.items);
  const service = await context.query(prefix, UNCACHED);
  const [mcp, connection] = await connect(context, service);
  const market = await context.step('changes of the market', 120 + context.items / 2_000, async () => {
    const known = askedMarket(context.items);
    await indexMarketChanges(context.elasticsearch, prefix, known.changes);
    return known;
  });
  const ask = (name: string, questions: readonly Question[]) =>
    context.step(name, 120 + context.items / 2_000, async () => {
      const results = [];
      for (const question of questions) results.push(await askQuestion(question, mcp.callTool, connection));
      return results;
    });
  const twelve = await ask('twelve questions', questionsAbout(market));
  const people = await ask('fifteen questions of people', questionsOfPeople(market));
  const definitions = tokensOf(JSON.stringify(await mcp.definitions()));
  context.report(questionRows(twelve, people, definitions), {
    questions: [...twelve, ...people],
    definitionTokens: definitions,
  });
  await searches(context, mcp, connection);
  await facets(context, prefix, mcp, connection);
  const broken = brokenPromises(twelve, people);
  if (broken.length > 0) throw new Error(broken.join('\n'));
}

function askedMarket(count: number): AskedMarket {
  const listings = newestFirst(Array.from(marketListings(count), (listing) => oracleListing(listing, TODAY)));
  const now = Date.now();
  return { listings, today: TODAY, now, changes: marketChanges(listings, now) };
}

async function connect(context: BenchContext, { port }: Subject): Promise<[McpConnection, HttpConnection]> {
  const mcp = await McpConnection.open(port);
  context.onEnd(() => mcp.close());
  return [mcp, context.connect(port)];
}

async function searches(
  context: BenchContext,
  mcp: McpConnection,
  connection: HttpConnection,
): Promise<void> {
  for (const pageSize of PAGE_SIZES) {
    const { tool, feed } = await context.step(`search of ${pageSize} items`, 120, () =>
      searchSpeed(mcp, connection, pageSize),
    );
    context.report(
      [
        compared(
          `search_listings by city and dates, ${pageSize} items`,
          'ms',
          tool.p50,
          { name: '/ai-feed', figure: feed.p50 },
          { target: { atMost: SEARCH_AT_MOST }, note: `p95 ${tool.p95} ms, /ai-feed ${feed.p95} ms` },
        ),
      ],
      { [`search of ${pageSize}`]: { tool, feed } },
    );
  }
}

async function facets(
  context: BenchContext,
  prefix: string,
  mcp: McpConnection,
  connection: HttpConnection,
): Promise<void> {
  const [otherMcp, otherConnection] = await connect(context, await context.query(prefix, NOTHING_SHARED));
  const { shared, alone } = await context.step('list_facets', 120, async () => ({
    shared: await facetSpeed(mcp, connection),
    alone: await facetSpeed(otherMcp, otherConnection),
  }));
  context.report(
    [
      {
        measure: 'list_facets of the whole market, p95',
        unit: 'ms',
        ours: shared.p95,
        target: { atMost: FACETS_AT_MOST_MS },
        note: `p50 ${shared.p50} ms; nothing counted before: p50 ${alone.p50} ms, p95 ${alone.p95} ms`,
      },
    ],
    { facets: { shared, nothingShared: alone } },
  );
}
