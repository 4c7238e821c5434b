import { expect } from 'chai';
import fc from 'fast-check';
import { boundsBetween, nextAbove, nextBelow } from './doubles.ts';

describe('neighboring doubles', () => {
  it('are not separated by another double', () => {
    for (const value of [
      Number.MIN_VALUE,
      1e-6,
      0.1,
      1,
      1.5,
      20_015_114.35,
      -1.5,
      -62_135_596_800_000,
      1e15,
    ]) {
      expect(nextBelow(value)).to.be.below(value);
      expect(nextAbove(nextBelow(value))).to.equal(value);
      expect(nextBelow(nextAbove(value))).to.equal(value);
    }
    expect([nextBelow(0), nextAbove(0)]).to.deep.equal([-Number.MIN_VALUE, Number.MIN_VALUE]);
    expect(nextBelow(1)).to.equal(1 - Number.EPSILON / 2);
    expect(nextAbove(Number.MAX_VALUE)).to.equal(Number.POSITIVE_INFINITY);
  });
});

describe('bounds between two doubles', () => {
  it('begin at the first, end directly after the last, and ascend', () => {
    const double = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(double, double, fc.integer({ min: 1, max: 50 }), (a, b, parts) => {
        const [least, most] = [Math.min(a, b), Math.max(a, b)];
        const bounds = boundsBetween(least, most, parts);
        expect(bounds[0]).to.equal(least);
        expect(bounds.at(-1)).to.equal(nextAbove(most));
        expect(bounds.length).to.be.within(2, parts + 1);
        for (const [i, bound] of bounds.slice(1).entries()) expect(bound).to.be.above(Number(bounds[i]));
      }),
    );
  });

  it('separate any two values after a few divisions', () => {
    const double = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(double, double, double, (a, b, between) => {
        let [least = 0, value = 0, most = 0] = [a, b, between].sort((x, y) => x - y);
        let divisions = 0;
        while (least !== most) {
          const bounds = boundsBetween(least, most, 1_000);
          const next = bounds.findIndex((bound) => bound > value);
          [least, most] = [
            Math.max(least, Number(bounds[next - 1])),
            Math.min(most, nextBelow(Number(bounds[next]))),
          ];
          divisions++;
          expect(value).to.be.within(least, most);
          expect(divisions).to.be.at.most(7);
        }
      }),
    );
  });
});
