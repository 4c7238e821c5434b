import { expect } from 'chai';
import { hasRentals, RENTALS, RENTALS_TODAY, readRentals } from '../rentals.ts';
import { type Model, modelOf } from './model.ts';
import type { LogRecord } from './record.ts';

interface Expected {
  ad_type: string;
  city_slug: string;
  item: { id: string; availability: object[] };
}

describe('the oracle on real rentals', () => {
  let model: Model;
  let expected: Expected[];

  before(function () {
    this.timeout(300_000);
    if (!hasRentals) {
      process.stderr.write(
        `# skipped: ${RENTALS} is missing, so the oracle cannot be compared with real rentals\n`,
      );
      this.skip();
    }
    model = modelOf(readRentals<LogRecord>('events'));
    expected = readRentals<Expected>('expected');
  });

  it('derives the expected items in order', () => {
    const last = new Date(Date.parse(RENTALS_TODAY) + 89 * 86_400_000).toISOString().slice(0, 10);
    const items = [...model.items.values()].sort(
      (a, b) => b.published_at - a.published_at || (a.id < b.id ? -1 : 1),
    );
    const feed = items.map(({ ad_type, city, feed_item, calendar }) => ({
      ad_type,
      city_slug: city,
      item: {
        ...feed_item,
        availability: calendar.filter(({ date }) => date >= RENTALS_TODAY && date <= last),
      },
    }));
    expect(feed).to.have.length(1_423);
    expect(feed).to.deep.equal(
      expected.map(({ ad_type, city_slug, item }) => ({ ad_type, city_slug, item })),
    );
  });

  it('finds the expected dead letters, skipped events, and reasons why listings are hidden', () => {
    expect(model.deadLetters).to.have.length(19);
    expect(model.skipped).to.equal(5);
    const reasons = Object.groupBy(model.hidden.values(), (reason) => reason);
    expect(
      Object.fromEntries(Object.entries(reasons).map(([reason, all]) => [reason, all?.length])),
    ).to.deep.equal({
      removed: 56,
      url: 57,
      title: 53,
      price: 40,
      location: 22,
    });
  });
});
