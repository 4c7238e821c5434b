import type { HttpConnection } from '../http-connection.ts';
import { rounded } from '../statistics.ts';
import { type Answer, type Cost, difference } from './answer.ts';
import { FeedClient } from './feed-client.ts';
import type { Question } from './question.ts';
import { type CallTool, ToolClient } from './tool-client.ts';

/** What the answer to one question cost on both sides. */
export interface AskedQuestion {
  name: string;
  tools: Cost;
  feed: Cost;
  /** Every side whose answer differs from the oracle's, with the difference. */
  wrong: string[];
}

/** Most tool calls of one question. */
export const MOST_CALLS = 2;
/** Least ratio of the tokens through the feed to the tokens through the tools. */
export const FEWEST_TIMES = 5;

/** Asks both sides one question. A side that fails gives a wrong answer. */
export async function askQuestion(
  { name, expected, byTools, byFeed }: Question,
  callTool: CallTool,
  connection: HttpConnection,
): Promise<AskedQuestion> {
  const wrong: string[] = [];
  const check = async (side: string, answering: Promise<Answer>) => {
    const problem = await answering.then(
      (answer) => difference(answer, expected),
      (error: Error) => error.message,
    );
    if (problem !== undefined) wrong.push(`${name}, ${side}: ${problem}`);
  };
  const tools = new ToolClient(callTool);
  await check('tools', byTools(tools));
  const feed = new FeedClient(connection);
  await check('/ai-feed', byFeed(feed));
  return { name, tools: tools.cost, feed: feed.cost, wrong };
}

/** The sum of the costs of all questions. */
export const totalCost = (costs: readonly Cost[]): Cost => ({
  calls: costs.reduce((sum, { calls }) => sum + calls, 0),
  tokens: costs.reduce((sum, { tokens }) => sum + tokens, 0),
});

/** Lists why the tools do not keep their promises: wrong answers, too many calls, too many tokens. */
export function brokenPromises(asked: readonly AskedQuestion[]): string[] {
  const times =
    totalCost(asked.map(({ feed }) => feed)).tokens / totalCost(asked.map(({ tools }) => tools)).tokens;
  return [
    ...asked.flatMap(({ wrong }) => wrong),
    ...asked
      .filter(({ tools }) => tools.calls > MOST_CALLS)
      .map(({ name, tools }) => `${name}: ${tools.calls} calls instead of at most ${MOST_CALLS}`),
    ...(times >= FEWEST_TIMES ? [] : [`${rounded(times)} times fewer tokens instead of ${FEWEST_TIMES}`]),
  ];
}
