import type { HttpConnection } from '../http-connection.ts';
import { rounded } from '../statistics.ts';
import { type Answer, type Cost, difference } from './answer.ts';
import { FeedClient } from './feed-client.ts';
import type { Before, Question } from './question.ts';
import { type CallTool, ToolClient } from './tool-client.ts';

/** A question with the cost of its answer on both sides. */
export interface AskedQuestion {
  name: string;
  tools: Cost;
  /** The cost through the feed; absent if the feed cannot answer. */
  feed?: Cost;
  /** The cost of a question of this kind with release 1.1.0's tools. */
  before?: Before;
  /** Every side whose answer differs from the oracle's answer, with the difference. */
  wrong: string[];
}

/** The highest number of tool calls for one question. */
export const MOST_CALLS = 2;
/** The highest number of tokens for one of the people's questions, through the tools. */
export const MOST_TOKENS = 2_500;
/** The lowest ratio of the tokens through the feed to the tokens through the tools. */
export const FEWEST_TIMES = 5;

/** Asks both sides one question. If a side fails, its answer counts as wrong. */
export async function askQuestion(
  { name, expected, byTools, byFeed, before }: Question,
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
  if (byFeed) await check('/ai-feed', byFeed(feed));
  return { name, tools: tools.cost, ...(byFeed && { feed: feed.cost }), ...(before && { before }), wrong };
}

/** The total cost of all questions. A question without a cost adds nothing. */
export const totalCost = (costs: readonly (Cost | undefined)[]): Cost => ({
  calls: costs.reduce((sum, cost) => sum + (cost?.calls ?? 0), 0),
  tokens: costs.reduce((sum, cost) => sum + (cost?.tokens ?? 0), 0),
});

/**
 * Lists why the tools do not keep their promises: wrong answers, too many calls, too many tokens.
 * @param twelve the questions for which both sides are compared
 * @param people the people's questions
 */
export function brokenPromises(twelve: readonly AskedQuestion[], people: readonly AskedQuestion[]): string[] {
  const asked = [...twelve, ...people];
  const times =
    totalCost(twelve.map(({ feed }) => feed)).tokens / totalCost(twelve.map(({ tools }) => tools)).tokens;
  return [
    ...asked.flatMap(({ wrong }) => wrong),
    ...asked
      .filter(({ tools }) => tools.calls > MOST_CALLS)
      .map(({ name, tools }) => `${name}: ${tools.calls} calls instead of at most ${MOST_CALLS}`),
    ...people
      .filter(({ tools }) => tools.tokens > MOST_TOKENS)
      .map(({ name, tools }) => `${name}: ${tools.tokens} tokens instead of at most ${MOST_TOKENS}`),
    ...(times >= FEWEST_TIMES ? [] : [`${rounded(times)} times fewer tokens instead of ${FEWEST_TIMES}`]),
  ];
}
