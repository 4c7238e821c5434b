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

  it('meet their targets if every answer is right and short', () => {
    const good = [asked('a'), asked('b', { tools: { calls: 2, tokens: 100 } })];
    expect(brokenPromises(good)).to.deep.equal([]);
    expect(missed(questionRows(good, 2_500))).to.deep.equal([]);
  });

  it('miss their targets after a wrong answer, a third call, too many tokens or long definitions', () => {
    const bad = [asked('a', { wrong: ['a, tools: no'] }), asked('b', { tools: { calls: 3, tokens: 101 } })];
    expect(brokenPromises(bad)).to.deep.equal([
      'a, tools: no',
      'b: 3 calls instead of at most 2',
      '4.98 times fewer tokens instead of 5',
    ]);
    expect(missed(questionRows(bad, 2_501))).to.deep.equal([
      '2 questions: times fewer tokens',
      'most calls of one question',
      'answers equal to those of the oracle',
      'definitions of all tools',
    ]);
  });

  it('compare each question and the sums', () => {
    const [first, , sum] = questionRows([asked('a'), asked('b', { feed: { calls: 1, tokens: 900 } })], 1);
    expect(first).to.include({ ours: 100, ratio: 5, note: '1 call, 3 requests to /ai-feed' });
    expect(sum).to.include({ ours: 200, ratio: 7 }).and.to.have.nested.property('peer.figure', 1_400);
  });
});
