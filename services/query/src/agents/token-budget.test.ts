import { expect } from 'chai';
import { countTokens, fitted } from './token-budget.ts';

const render = (count: number) => ({
  text: Array.from({ length: count }, (_, i) => `row ${i}`).join('\n'),
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
    // In one piece, each of these words takes many seconds.
    for (const word of ['a', 'xq', '!', '🏖️', 'ç'])
      expect(await countTokens({ text: word.repeat(200_000), structured: {} })).to.be.above(1_000);
  });

  it('leaves out the last elements, as few as possible', async () => {
    const all = render(20);
    expect(await fitted(20, await countTokens(all), render)).to.deep.equal(all);
    const some = await fitted(20, 100, render);
    expect(await countTokens(some)).to.be.at.most(100);
    expect((some.structured.items as number[]).length).to.be.within(8, 19);
    expect(await fitted(20, 1, render)).to.deep.equal(render(0));
  });
});
