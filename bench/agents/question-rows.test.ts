import { expect } from 'chai';
import { isMet, type Row } from '../results.ts';
import { type AskedQuestion, brokenPromises } from './ask-questions.ts';
import { questionRows } from './question-rows.ts';

describe('rows of the questions', () => {
  const asked = (name: string, more: Partial<AskedQuestion> = {}): AskedQuestion => ({
    name,
    tools: { calls: 1, tokens: 100 },
    feed: { calls: 3, tokens: 500 },
    wrong: [],
    ...more,
  });
  const missed = (rows: readonly Row[]) =>
    rows.filter((row) => isMet(row) === false).map(({ measure }) => measure);
  const person = asked('c', { tools: { calls: 1, tokens: 2_500 } });

  it('meet their targets if every answer is right and short', () => {
    const good = [asked('a'), asked('b', { tools: { calls: 2, tokens: 100 } })];
    expect(brokenPromises(good, [person])).to.deep.equal([]);
    expect(missed(questionRows(good, [person], 2_700))).to.deep.equal([]);
  });

  it('miss their targets after a wrong answer, a third call, too many tokens or long definitions', () => {
    const bad = [asked('a', { wrong: ['a, tools: no'] }), asked('b', { tools: { calls: 3, tokens: 101 } })];
    const long = asked('c', { tools: { calls: 1, tokens: 2_501 } });
    expect(brokenPromises(bad, [person, long])).to.deep.equal([
      'a, tools: no',
      'b: 3 calls instead of at most 2',
      'c: 2501 tokens instead of at most 2500',
      '4.98 times fewer tokens instead of 5',
    ]);
    expect(missed(questionRows(bad, [person, long], 2_701))).to.deep.equal([
      '2 questions: times fewer tokens',
      'most calls of one question',
      'answers equal to those of the oracle',
      'definitions of all tools',
      'most tokens of one of 2 questions of people',
    ]);
    const wrong = asked('c', { wrong: ['c, tools: no'] });
    expect(brokenPromises([asked('a')], [wrong])).to.deep.equal(['c, tools: no']);
  });

  it('compare each question and the sums', () => {
    const twelve = [asked('a'), asked('b', { feed: { calls: 1, tokens: 900 } })];
    const [first, , , sum] = questionRows(twelve, [person], 1);
    expect(first).to.include({ ours: 100, ratio: 5, note: '1 call, 3 requests to /ai-feed' });
    expect(sum).to.include({ ours: 200, ratio: 7 }).and.to.have.nested.property('peer.figure', 1_400);
  });

  it('say what a question cost before, and that the feed has no answer', () => {
    const { feed: _, ...alone } = asked('c', { before: { calls: 49 } });
    const [row] = questionRows([], [alone, asked('d', { before: { calls: 50, tokens: 9 } })], 1);
    expect(row).to.include({ note: '1 call, no answer in /ai-feed, with 1.1.0 49 calls and no answer' });
    expect(row).to.not.have.any.keys('peer', 'ratio');
  });
});
