import type { Row } from '../results.ts';
import { median, rounded } from '../statistics.ts';
import type { Cost } from './answer.ts';
import { type AskedQuestion, FEWEST_TIMES, MOST_CALLS, totalCost } from './ask-questions.ts';

const MOST_DEFINITION_TOKENS = 2_500;

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;
const timesFewer = (tools: Cost, feed: Cost): number => rounded(feed.tokens / tools.tokens);

/**
 * The rows of the twelve questions: one per question, the totals, and the tool definitions.
 * @param definitionTokens o200k tokens of all tool definitions
 */
export function questionRows(asked: readonly AskedQuestion[], definitionTokens: number): Row[] {
  const tools = totalCost(asked.map((each) => each.tools));
  const feed = totalCost(asked.map((each) => each.feed));
  const half = rounded(median(asked.map((each) => timesFewer(each.tools, each.feed))));
  const [largest, ...others] = asked.toSorted((a, b) => b.feed.tokens - a.feed.tokens);
  const withoutLargest = timesFewer(
    totalCost(others.map((each) => each.tools)),
    totalCost(others.map((each) => each.feed)),
  );
  return [
    ...asked.map((each) => ({
      measure: `question: ${each.name}`,
      unit: 'tokens' as const,
      ours: each.tools.tokens,
      peer: { name: '/ai-feed', figure: each.feed.tokens },
      ratio: timesFewer(each.tools, each.feed),
      note: `${plural(each.tools.calls, 'call')}, ${plural(each.feed.calls, 'request')} to /ai-feed`,
    })),
    {
      measure: `${asked.length} questions: times fewer tokens`,
      unit: 'tokens',
      ours: tools.tokens,
      peer: { name: '/ai-feed', figure: feed.tokens },
      ratio: timesFewer(tools, feed),
      target: { atLeast: FEWEST_TIMES },
      note:
        `${tools.calls} calls, ${feed.calls} requests to /ai-feed; without "${largest?.name}" ` +
        `${withoutLargest}; median of the questions ${half}`,
    },
    {
      measure: 'most calls of one question',
      unit: 'calls',
      ours: Math.max(...asked.map((each) => each.tools.calls)),
      peer: { name: '/ai-feed', figure: Math.max(...asked.map((each) => each.feed.calls)) },
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
  ];
}
