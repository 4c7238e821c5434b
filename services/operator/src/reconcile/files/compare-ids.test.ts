import { expect } from 'chai';
import fc from 'fast-check';
import { compareIds } from './compare-ids.ts';

describe('the order of ids', () => {
  it('is the order of their UTF-8 bytes', () =>
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 4 }),
        fc.string({ unit: 'binary', maxLength: 4 }),
        (a, b) => {
          const bytes = Buffer.compare(Buffer.from(a), Buffer.from(b));
          expect(Math.sign(compareIds(a, b))).to.equal(bytes);
        },
      ),
      { examples: [['\u{ffff}', '\u{10000}']] },
    ));

  it('differs from the order of UTF-16 units', () => {
    expect('\u{e000}' < '\u{1f600}').to.equal(false);
    expect(compareIds('\u{e000}', '\u{1f600}')).to.be.below(0);
  });
});
