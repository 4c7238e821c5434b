import { expect } from 'chai';
import { Timeline } from './publication-histogram.ts';

describe('timeline', () => {
  const timeline = new Timeline({
    total: 40,
    stretches: [
      { by: 'published_at', oldest: 200, newest: 299, count: 10 },
      { by: 'published_at', oldest: 0, newest: 99, count: 30 },
    ],
  });
  const newest = Number.MAX_SAFE_INTEGER;

  it('knows since when so many were published, as if they were spread evenly within a stretch', () => {
    expect(timeline.since(10, newest)).to.equal(200);
    expect(timeline.since(5, newest)).to.equal(249);
    expect(timeline.since(25, newest)).to.equal(49);
    expect(timeline.since(40, newest)).to.equal(0);
  });

  it('knows nothing of more than there are', () => {
    expect(timeline.since(41, newest)).to.equal(undefined);
  });

  it('leaves out what is newer', () => {
    expect(timeline.since(2, 249), 'within a stretch').to.equal(229);
    expect(timeline.since(15, 150)).to.equal(49);
    expect(timeline.since(31, 150)).to.equal(undefined);
  });
});
