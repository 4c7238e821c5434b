import { expect } from 'chai';
import { joined, quoted, say } from './answer-text.ts';
import { type Answer, countTokens, fitted, fittedError, MAX_TOKENS } from './token-budget.ts';

const render = (count: number): Answer => ({
  text: joined(
    Array.from({ length: count }, (_, i) => say`row ${i}`),
    '\n',
  ),
  structured: { items: Array.from({ length: count }, (_, i) => i) },
});

describe('token budget', () => {
  it('counts the text and the data', async () => {
    const text = 'a flat in Curitiba';
    const both = await countTokens({ text, structured: { text } });
    expect(both).to.equal(
      (await countTokens({ text, structured: {} })) +
        (await countTokens({ text: '', structured: { text } })) -
        1,
    );
  });

  it('counts the text of special tokens as ordinary text', async () =>
    expect(await countTokens({ text: '<|endoftext|>', structured: {} })).to.be.above(3));

  it('counts words without end before the test times out', async () => {
    // Counting the tokens of one of these words in one piece would take many seconds.
    for (const word of ['a', 'xq', '!', '🏖️', 'ç'])
      expect(await countTokens({ text: word.repeat(200_000), structured: {} })).to.be.above(1_000);
  });

  it('leaves out the last elements, as few as possible', async () => {
    const all = render(20);
    expect(await fitted({ elements: 20, budget: await countTokens(all), render })).to.deep.equal(all);
    const some = await fitted({ elements: 20, budget: 100, render });
    expect(await countTokens(some)).to.be.at.most(100);
    expect((some.structured.items as number[]).length).to.be.within(8, 19);
  });

  it('keeps a first element that fits, however large the others are', async () => {
    const sizes = [10, 50_000, 50_000];
    const uneven = (count: number): Answer => ({
      text: say``,
      structured: { items: sizes.slice(0, count).map((size) => 'a b '.repeat(size)) },
    });
    expect((await fitted({ elements: 3, budget: 100, render: uneven })).structured).to.deep.equal({
      items: ['a b '.repeat(10)],
    });
  });

  it('uses the larger budget for one element if none fits into the smaller one', async () => {
    const answer = await fitted({ elements: 20, budget: 5, budgetOfOne: 100, render, brief: render });
    expect(answer).to.deep.equal(render(1));
    const none = await fitted({ elements: 20, budget: 5, budgetOfOne: 6, render, brief: render });
    expect(none).to.deep.equal(render(0));
  });

  it('leaves out everything but the short members of an answer that does not fit in any form', async () => {
    for (const characters of [9_000, 500_000]) {
      const title = 'ação '.repeat(characters / 5);
      const answer = await fitted({
        elements: 3,
        budget: 1_200,
        render: (count) => ({
          text: say`${count} ${quoted(title, title.length)}`,
          structured: { total: 7, id: 'a', title, items: [title], next_cursor: 'c'.repeat(700) },
        }),
      });
      expect(answer.structured).to.deep.equal({
        total: 7,
        id: 'a',
        next_cursor: 'c'.repeat(700),
        truncated: true,
      });
      expect(await countTokens(answer)).to.be.at.most(1_200);
    }
  });

  it('applies to errors', () => {
    expect(fittedError('No listing.')).to.equal('No listing.');
    const long = fittedError('é'.repeat(100_000));
    expect(Buffer.byteLength(long)).to.be.within(MAX_TOKENS - 1, MAX_TOKENS);
    expect(long).to.match(/^é+\.\.\.$/u);
  });
});
