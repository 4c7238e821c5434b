import { expect } from 'chai';
import { feedQuery, neighbouringDates } from './feed-query.ts';
import type { FeedCriteria } from './feed-request.ts';

const TODAY = '2026-12-01';
const criteria = (more: Partial<FeedCriteria> = {}): FeedCriteria => ({ feed: 'public-feed', page: 1, pageSize: 20, ...more });
const query = (more?: Partial<FeedCriteria>) => feedQuery(criteria(more), TODAY);
const sort = [{ published_at: 'desc' }, { id: 'asc' }];

describe('feed query', () => {
  it('without a filter: every item, newest first, counted exactly', () => {
    expect(query()).to.deep.equal({
      track_total_hits: true,
      from: 0,
      size: 20,
      sort,
      _source: ['feed_item'],
      query: { bool: { filter: [{ exists: { field: 'published_at' } }] } },
    });
  });

  it('the agent feed reads the calendars too', () => {
    expect(query({ feed: 'ai-feed' })).to.deep.equal({ ...query(), _source: ['feed_item', 'calendar'] });
  });

  it('pages by number and size', () => {
    expect(query({ page: 3, pageSize: 7 })).to.include({ from: 14, size: 7 });
  });

  it('every filter is an exact term', () => {
    expect(query({ adType: 'rent', city: 'sao-paulo', category: 'casa', sub_category: '', date: '2026-12-05' }).query).to.deep.equal({
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

  it('date on the public feed: today and later by the open dates, a past date matches nothing', () => {
    expect(query({ date: TODAY }).query).to.deep.equal({ bool: { filter: [{ term: { open_dates: TODAY } }] } });
    expect(query({ date: '2026-11-30' }).query).to.deep.equal({ bool: { filter: [{ match_none: {} }] } });
    expect(query({ date: TODAY })).not.to.have.any.keys('aggs', 'post_filter');
  });

  it('date on the agent feed: counts the neighbouring dates among the items of every other filter', () => {
    expect(query({ feed: 'ai-feed', city: 'recife', date: '2026-12-10' })).to.deep.equal({
      track_total_hits: true,
      from: 0,
      size: 20,
      sort,
      _source: ['feed_item', 'calendar'],
      query: { bool: { filter: [{ term: { city: 'recife' } }] } },
      post_filter: { bool: { filter: [{ term: { open_dates: '2026-12-10' } }] } },
      aggs: {
        offers: {
          nested: { path: 'offers' },
          aggs: {
            window: {
              filter: {
                terms: { 'offers.date': ['2026-12-07', '2026-12-08', '2026-12-09', '2026-12-10', '2026-12-11', '2026-12-12', '2026-12-13'] },
              },
              aggs: {
                dates: {
                  terms: { field: 'offers.date', size: 7 },
                  aggs: { min_price: { min: { field: 'offers.price' } }, max_price: { max: { field: 'offers.price' } } },
                },
              },
            },
          },
        },
      },
    });
  });

  it('a past date on the agent feed matches nothing, and counts what of its window is not past', () => {
    const past = query({ feed: 'ai-feed', date: '2026-11-29' });
    expect(past.query).to.deep.equal({ bool: { filter: [{ exists: { field: 'published_at' } }] } });
    expect(past.post_filter).to.deep.equal({ bool: { filter: [{ match_none: {} }] } });
    expect(past)
      .to.have.nested.property('aggs.offers.aggs.window.filter.terms')
      .that.deep.equals({ 'offers.date': ['2026-12-01', '2026-12-02'] });
  });

  it('a date whose window is past on the agent feed matches and counts nothing', () => {
    const past = query({ feed: 'ai-feed', date: '2026-11-27' });
    expect(past.query).to.deep.equal({ bool: { filter: [{ match_none: {} }] } });
    expect(past).not.to.have.any.keys('aggs', 'post_filter');
  });
});

describe('neighbouring dates', () => {
  const dates = (date: string) => neighbouringDates(criteria({ feed: 'ai-feed', date }), TODAY);

  it('are three days before to three days after, never before today', () => {
    expect(dates('2026-12-30')).to.deep.equal(['2026-12-27', '2026-12-28', '2026-12-29', '2026-12-30', '2026-12-31', '2027-01-01', '2027-01-02']);
    expect(dates('2026-12-02')).to.deep.equal(['2026-12-01', '2026-12-02', '2026-12-03', '2026-12-04', '2026-12-05']);
    expect(dates('2026-11-28')).to.deep.equal(['2026-12-01']);
    expect(dates('2026-11-27')).to.deep.equal([]);
    expect(dates('0000-01-01')).to.deep.equal([]);
    expect(dates('9999-12-31')).to.deep.equal(['9999-12-28', '9999-12-29', '9999-12-30', '9999-12-31']);
  });

  it('are none without a date, and on the public feed', () => {
    expect(neighbouringDates(criteria({ feed: 'ai-feed' }), TODAY)).to.deep.equal([]);
    expect(neighbouringDates(criteria({ date: TODAY }), TODAY)).to.deep.equal([]);
  });
});
