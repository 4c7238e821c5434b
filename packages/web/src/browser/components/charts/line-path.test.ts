import { expect } from 'chai';
import { nearest, segments } from './line-path.ts';

const points = [
  { at: 0, value: 1 },
  { at: 10, value: 2 },
  { at: 70, value: 9, isAfterGap: true },
];

describe('the line of a chart', () => {
  it('has a gap where samples are missing, instead of a straight line', () => {
    expect(segments(points)).to.deep.equal([points.slice(0, 2), points.slice(2)]);
    expect(segments([])).to.deep.equal([]);
  });

  it('has no value at a cursor in a gap', () => {
    expect(nearest(points, 12, 20)).to.equal(points[1]);
    expect(nearest(points, 40, 20)).to.equal(undefined);
    expect(nearest(points, undefined, 20)).to.equal(points[2]);
  });
});
