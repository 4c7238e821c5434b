import { expect } from 'chai';
import fc from 'fast-check';
import { distance } from 'fastest-levenshtein';
import { typingErrors } from './typing-errors.ts';

describe('typing errors', () => {
  it('are Levenshtein’s distance up to a limit', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', '-'), maxLength: 12 });
    fc.assert(
      fc.property(word, word, fc.nat(4), (a, b, max) => {
        expect(typingErrors(a, b, max)).to.equal(Math.min(distance(a, b), max + 1));
      }),
      { numRuns: 5_000 },
    );
  });

  it('of long words that differ at both ends are counted', () => {
    const middle = 'm'.repeat(198);
    expect(typingErrors(`a${middle}a`, `b${middle}b`, 2)).to.equal(2);
    expect(typingErrors(`aa${middle}a`, `bb${middle}b`, 2)).to.equal(3);
  });
});
