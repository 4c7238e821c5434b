import { expect } from 'chai';
import { PublicationHistogram } from './estimates.ts';

describe('histogram', () => {
  const histogram = new PublicationHistogram({
    total: 40,
    ranges: [
      { by: 'published_at', oldest: 200, newest: 299, count: 10 },
      { by: 'published_at', oldest: 0, newest: 99, count: 30 },
    ],
  });
  const newest = Number.MAX_SAFE_INTEGER;

  it('estimates the time since which a number of items was published, evenly distributed within a range', () => {
    expect(histogram.publishedSince(10, newest)).to.equal(200);
    expect(histogram.publishedSince(5, newest)).to.equal(249);
    expect(histogram.publishedSince(25, newest)).to.equal(49);
    expect(histogram.publishedSince(40, newest)).to.equal(0);
  });

  it('has no estimates beyond the total', () => {
    expect(histogram.publishedSince(41, newest)).to.equal(undefined);
  });

  it('excludes newer items', () => {
    expect(histogram.publishedSince(2, 249), 'within a range').to.equal(229);
    expect(histogram.publishedSince(15, 150)).to.equal(49);
    expect(histogram.publishedSince(31, 150)).to.equal(undefined);
  });
});
