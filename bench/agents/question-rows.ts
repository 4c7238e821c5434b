import type { Row } from '../results.ts';
import { median, rounded } from '../statistics.ts';
import type { Cost } from './answer.ts';
import { type AskedQuestion, FEWEST_TIMES, MOST_CALLS, MOST_TOKENS, totalCost } from './ask-questions.ts';

const MOST_DEFINITION_TOKENS = 2_700;

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;
const timesFewer = (tools: Cost, feed: Cost): number => rounded(feed.tokens / tools.tokens);

/**
 * The rows of all questions: one per question, the totals, and the tool definitions.
 * @param twelve the questions for which both sides are compared
 * @param people the people's questions
 * @param definitionTokens o200k tokens of all tool definitions
 */
export function questionRows(
  twelve: readonly AskedQuestion[],
  people: readonly AskedQuestion[],
  definitionTokens: number,
): Row[] {
  const asked = [...twelve, ...people];
  return [
    ...asked.map(rowOf),
    comparison(twelve),
    {
      measure: 'most calls of one question',
      unit: 'calls',
      ours: Math.max(...asked.map(({ tools }) => tools.calls)),
      peer: { name: '/ai-feed', figure: Math.max(...asked.map(({ feed }) => feed?.calls ?? 0)) },
      target: { atMost: MOST_CALLS },
    },
    {
      measure: 'answers equal to those of the oracle',
      unit: 'answers',
      ours: asked.filter(({ wrong }) => wrong.length === 0).length,
      target: { atLeast: asked.length },
    },
    {
      measure: 'definitions of all tools',
      unit: 'tokens',
      ours: definitionTokens,
      target: { atMost: MOST_DEFINITION_TOKENS },
    },
    {
      measure: `most tokens of one of ${people.length} questions of people`,
      unit: 'tokens',
      ours: Math.max(...people.map(({ tools }) => tools.tokens)),
      target: { atMost: MOST_TOKENS },
    },
  ];
}

function rowOf({ name, tools, feed, before }: AskedQuestion): Row {
  const tokens = before?.tokens === undefined ? 'no answer' : `${before.tokens} tokens`;
  const costs = [
    plural(tools.calls, 'call'),
    feed ? `${plural(feed.calls, 'request')} to /ai-feed` : 'no answer in /ai-feed',
    ...(before ? [`with 1.1.0 ${before.calls} calls and ${tokens}`] : []),
  ];
  return {
    measure: `question: ${name}`,
    unit: 'tokens',
    ours: tools.tokens,
    ...(feed && { peer: { name: '/ai-feed', figure: feed.tokens }, ratio: timesFewer(tools, feed) }),
    note: costs.join(', '),
  };
}

/** The row with the sums of the questions for which both sides are compared. */
function comparison(asked: readonly AskedQuestion[]): Row {
  const compared = asked.flatMap(({ name, tools, feed }) => (feed ? [{ name, tools, feed }] : []));
  const tools = totalCost(compared.map((each) => each.tools));
  const feed = totalCost(compared.map((each) => each.feed));
  const half = rounded(median(compared.map((each) => timesFewer(each.tools, each.feed))));
  const [largest, ...others] = compared.toSorted((a, b) => b.feed.tokens - a.feed.tokens);
  const withoutLargest = timesFewer(
    totalCost(others.map((each) => each.tools)),
    totalCost(others.map((each) => each.feed)),
  );
  return {
    measure: `${asked.length} questions: times fewer tokens`,
    unit: 'tokens',
    ours: tools.tokens,
    peer: { name: '/ai-feed', figure: feed.tokens },
    ratio: timesFewer(tools, feed),
    target: { atLeast: FEWEST_TIMES },
    note:
      `${tools.calls} calls, ${feed.calls} requests to /ai-feed; without "${largest?.name}" ` +
      `${withoutLargest}; median of the questions ${half}`,
  };
}
