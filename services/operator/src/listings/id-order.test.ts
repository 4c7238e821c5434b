import { expect } from 'chai';
import fc from 'fast-check';
import { compareIds } from './id-order.ts';

describe('the order of ids', () => {
  it('is the order of their UTF-8 bytes', () => {
    const character = fc.constantFrom(
      '',
      'a',
      'b',
      '\0',
      'é',
      '\ud7ff',
      '\ue000',
      '\uffff',
      '\u{10000}',
      '😀',
    );
    const text = fc.array(character, { maxLength: 6 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareIds(a, b))).to.equal(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
    );
  });
});
