import { expect } from 'chai';
import fc from 'fast-check';
import { distance } from 'fastest-levenshtein';
import { nearValues, typingErrors } from './suggestions.ts';

const values = ['sao-paulo', 'curitiba', 'florianopolis', 'recife', 'porto-alegre', 'porto-velho', 'rio'].map(
  (value, i) => ({ value, label: value, count: 100 - i }),
);
const near = (slug: string) => nearValues(slug, values).map(({ value }) => value);

describe('values near a given one', () => {
  it('have at most two typing errors', () => {
    expect(near('curitba')).to.deep.equal(['curitiba']);
    expect(near('kuritibba')).to.deep.equal(['curitiba']);
    expect(near('kuritibbas')).to.deep.equal([]);
  });

  it('have the same first four characters', () => {
    expect(near('floripa')).to.deep.equal(['florianopolis']);
    expect(near('porto')).to.deep.equal(['porto-alegre', 'porto-velho']);
  });

  it('are ordered by typing errors, then by frequency, and are at most five', () => {
    expect(near('porto-velha')).to.deep.equal(['porto-velho', 'porto-alegre']);
    const many = Array.from({ length: 9 }, (_, i) => ({ value: `porto-${i}`, label: '', count: 9 - i }));
    expect(nearValues('xyz', many).map(({ count }) => count)).to.deep.equal([]);
    expect(nearValues('port-x', many).map(({ count }) => count)).to.deep.equal([9, 8, 7, 6, 5]);
  });

  it('are not longer than an argument', () =>
    expect(nearValues('xxxx', [{ value: 'x'.repeat(201), label: '', count: 1 }])).to.deep.equal([]));
});

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
