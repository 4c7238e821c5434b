import { expect } from 'chai';
import type { FeedCriteria } from '../request/criteria.ts';
import { neighboringDates } from '../request/criteria.ts';
import { feedQuery } from './feed-query.ts';

const TODAY = '2026-12-01';
const criteria = (more: Partial<FeedCriteria> = {}): FeedCriteria => ({
  feed: 'public-feed',
  page: 1,
  pageSize: 20,
  ...more,
});
const SETTINGS = { today: TODAY, localRadiusKm: 50 };
const query = (more?: Partial<FeedCriteria>) => feedQuery(criteria(more), SETTINGS).request;
const sort = [{ published_at: 'desc' }, { id: 'asc' }];

describe('feed query', () => {
  it('finds every item, newest first, if there is no filter, and counts exactly', () => {
    expect(query()).to.deep.equal({
      track_total_hits: true,
      _source: ['feed_item'],
      from: 0,
      size: 20,
      sort,
      query: { bool: { filter: [{ exists: { field: 'published_at' } }] } },
    });
  });

  it('reads whole documents for the agent feed, which needs their calendars', () => {
    const { _source, ...same } = query();
    expect(query({ feed: 'ai-feed' })).to.deep.equal(same);
  });

  it('has no offers of other dates and stays if the caller shows none', () => {
    const date = { date: '2026-12-05' };
    for (const more of [
      date,
      { ...date, dateTo: '2026-12-07' },
      { ...date, nights: 2, dateTo: '2026-12-09' },
    ]) {
      const given = criteria({ feed: 'ai-feed', ...more });
      const { dates, stays, request } = feedQuery(given, { ...SETTINGS, summaries: 'none' });
      expect([dates, stays?.starts ?? []]).to.deep.equal([[], []]);
      expect(request).not.to.have.any.keys('aggs', 'post_filter');
      const every = feedQuery(given, { ...SETTINGS, summaries: 'every range' });
      expect([...(every.dates ?? []), ...(every.stays?.starts ?? [])]).not.to.deep.equal([]);
    }
  });

  it('pages by number and size', () => {
    expect(query({ page: 3, pageSize: 7 })).to.include({ from: 14, size: 7 });
  });

  it('translates every filter into an exact term', () => {
    expect(
      query({ adType: 'rent', city: 'sao-paulo', category: 'casa', sub_category: '', date: '2026-12-05' })
        .query,
    ).to.deep.equal({
      bool: {
        filter: [
          { term: { ad_type: 'rent' } },
          { term: { city: 'sao-paulo' } },
          { term: { category: 'casa' } },
          { term: { sub_category: '' } },
          { term: { open_dates: '2026-12-05' } },
        ],
      },
    });
  });

  it('filters the public feed by open dates, and a past date matches nothing', () => {
    expect(query({ date: TODAY }).query).to.deep.equal({
      bool: { filter: [{ term: { open_dates: TODAY } }] },
    });
    expect(query({ date: '2026-11-30' }).query).to.deep.equal({ bool: { filter: [{ match_none: {} }] } });
    expect(query({ date: TODAY })).not.to.have.any.keys('aggs', 'post_filter');
  });

  it('finds the items that are available on every date of a range', () => {
    expect(query({ date: '2026-12-30', dateTo: '2027-01-01' }).query).to.deep.equal({
      bool: {
        filter: [
          { term: { open_dates: '2026-12-30' } },
          { term: { open_dates: '2026-12-31' } },
          { term: { open_dates: '2027-01-01' } },
        ],
      },
    });
    expect(query({ date: '2026-11-30', dateTo: TODAY }).query).to.deep.equal({
      bool: { filter: [{ match_none: {} }] },
    });
  });

  it('counts the dates around a range on the agent feed, among the items of every other filter', () => {
    const asked = criteria({ feed: 'ai-feed', city: 'recife', date: '2026-12-05', dateTo: '2026-12-06' });
    const { request: range, dates: counted } = feedQuery(asked, SETTINGS);
    expect(range.query).to.deep.equal({ bool: { filter: [{ term: { city: 'recife' } }] } });
    expect(range.post_filter).to.deep.equal({
      bool: { filter: [{ term: { open_dates: '2026-12-05' } }, { term: { open_dates: '2026-12-06' } }] },
    });
    const dates = [
      '2026-12-02',
      '2026-12-03',
      '2026-12-04',
      '2026-12-05',
      '2026-12-06',
      '2026-12-07',
      '2026-12-08',
      '2026-12-09',
    ];
    expect(range).to.have.nested.property('aggs.offers.aggs.dates.filters.filters').that.has.all.keys(dates);
    expect(counted).to.deep.equal(dates);
  });

  it('sorts nearest first by distance, then by id', () => {
    const point = { lat: -23.5, lon: -46.6 };
    expect(feedQuery(criteria({ point }), SETTINGS)).to.deep.equal({
      order: point,
      dates: [],
      request: { ...query(), sort: [{ _geo_distance: { point, order: 'asc', unit: 'm' } }, { id: 'asc' }] },
    });
    expect(feedQuery(criteria(), SETTINGS).order).to.equal('newest');
  });

  it('limits localOnly to the radius, together with the other filters', () => {
    const point = { lat: -23.5, lon: -46.6 };
    expect(query({ point, localOnly: true, city: 'recife' }).query).to.deep.equal({
      bool: {
        filter: [{ term: { city: 'recife' } }, { geo_distance: { point, distance: 50_000, unit: 'm' } }],
      },
    });
  });

  it('requests one extra hit after the position of a cursor', () => {
    const { page: _, ...start } = criteria({ pageSize: 7 });
    const { from: _from, size: _size, ...rest } = query();
    expect(feedQuery(start, SETTINGS).request).to.deep.equal({ ...rest, size: 8 });
    expect(feedQuery({ ...start, after: { key: 5, id: 'a' } }, SETTINGS).request).to.deep.equal({
      ...rest,
      size: 8,
      search_after: [5, 'a'],
    });
    const nearest = { ...start, point: { lat: 1, lon: 2 } };
    expect(
      feedQuery({ ...nearest, after: { key: null, id: 'a' } }, SETTINGS).request.search_after,
    ).to.deep.equal(['Infinity', 'a']);
  });

  it('counts the neighboring dates on the agent feed, among the items of every other filter', () => {
    expect(query({ feed: 'ai-feed', city: 'recife', date: '2026-12-10' })).to.deep.equal({
      track_total_hits: true,
      from: 0,
      size: 20,
      sort,
      query: { bool: { filter: [{ term: { city: 'recife' } }] } },
      post_filter: { bool: { filter: [{ term: { open_dates: '2026-12-10' } }] } },
      aggs: {
        offers: {
          nested: { path: 'offers' },
          aggs: {
            dates: {
              filters: {
                filters: {
                  '2026-12-07': { term: { 'offers.date': '2026-12-07' } },
                  '2026-12-08': { term: { 'offers.date': '2026-12-08' } },
                  '2026-12-09': { term: { 'offers.date': '2026-12-09' } },
                  '2026-12-10': { term: { 'offers.date': '2026-12-10' } },
                  '2026-12-11': { term: { 'offers.date': '2026-12-11' } },
                  '2026-12-12': { term: { 'offers.date': '2026-12-12' } },
                  '2026-12-13': { term: { 'offers.date': '2026-12-13' } },
                },
              },
              aggs: { prices: { stats: { field: 'offers.price' } } },
            },
          },
        },
      },
    });
  });

  it('a past date on the agent feed matches nothing, and counts the other dates of its window', () => {
    const past = query({ feed: 'ai-feed', date: '2026-11-29' });
    expect(past.query).to.deep.equal({ bool: { filter: [{ exists: { field: 'published_at' } }] } });
    expect(past.post_filter).to.deep.equal({ bool: { filter: [{ match_none: {} }] } });
    expect(past)
      .to.have.nested.property('aggs.offers.aggs.dates.filters.filters')
      .that.has.all.keys('2026-12-01', '2026-12-02');
  });

  it('a date whose window is past on the agent feed matches and counts nothing', () => {
    const past = query({ feed: 'ai-feed', date: '2026-11-27' });
    expect(past.query).to.deep.equal({ bool: { filter: [{ match_none: {} }] } });
    expect(past).not.to.have.any.keys('aggs', 'post_filter');
  });
});

describe('neighboring dates', () => {
  const dates = (date: string) => neighboringDates(criteria({ feed: 'ai-feed', date }), TODAY);

  it('are three days before to three days after, but never before today', () => {
    expect(dates('2026-12-30')).to.deep.equal([
      '2026-12-27',
      '2026-12-28',
      '2026-12-29',
      '2026-12-30',
      '2026-12-31',
      '2027-01-01',
      '2027-01-02',
    ]);
    expect(dates('2026-12-02')).to.deep.equal([
      '2026-12-01',
      '2026-12-02',
      '2026-12-03',
      '2026-12-04',
      '2026-12-05',
    ]);
    expect(dates('2026-11-28')).to.deep.equal(['2026-12-01']);
    expect(dates('2026-11-27')).to.deep.equal([]);
    expect(dates('0000-01-01')).to.deep.equal([]);
    const range = criteria({ feed: 'ai-feed', date: '2026-12-02', dateTo: '2026-12-03' });
    expect(neighboringDates(range, TODAY)).to.deep.equal([
      '2026-12-01',
      '2026-12-02',
      '2026-12-03',
      '2026-12-04',
      '2026-12-05',
      '2026-12-06',
    ]);
    const late = criteria({ feed: 'ai-feed', date: '2026-11-20', dateTo: '2026-11-30' });
    expect(neighboringDates(late, TODAY)).to.deep.equal(['2026-12-01', '2026-12-02', '2026-12-03']);
    expect(dates('9999-12-31')).to.deep.equal(['9999-12-28', '9999-12-29', '9999-12-30', '9999-12-31']);
  });

  it('are empty without a date and on the public feed', () => {
    expect(neighboringDates(criteria({ feed: 'ai-feed' }), TODAY)).to.deep.equal([]);
    expect(neighboringDates(criteria({ date: TODAY }), TODAY)).to.deep.equal([]);
  });
});
