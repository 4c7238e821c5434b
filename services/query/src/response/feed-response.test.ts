import type { FeedItem } from '@vitrine/feed-index';
import { expect } from 'chai';
import type { AgentFeedResponse } from '../contract/feed-schema.ts';
import type { FeedCriteria } from '../request/criteria.ts';
import { encodeCursor } from '../request/cursor.ts';
import type { FoundPage } from '../stored/found-page.ts';
import { type FeedContent, feedContent } from './feed-response.ts';

const item: FeedItem = {
  id: '1',
  title: 'Casa',
  price: 10,
  currency: 'BRL',
  location: { city: 'Recife', country: 'BR' },
  url: 'https://example.com/1',
};
const calendar = ['2026-11-30', '2026-12-01', '2026-12-03', '2027-02-28', '2027-03-01'].map((date) => ({
  date,
  available: true,
  price: 10,
}));
const position = { key: 7, id: '1' };
/** Stored bytes are served unchanged. This line does not compile if the bytes differ from the schema. */
const servedItem: AgentFeedResponse['data'][number] = { ...item, availability: calendar };
const stored = (feed_item: FeedItem, dates = calendar) => ({
  head: Buffer.alloc(0),
  feedItem: json(feed_item),
  calendar: json(dates),
  position,
});
const json = (value: unknown) => Buffer.from(JSON.stringify(value));
/** The items, parsed from their bytes. */
const read = ({ data, meta }: FeedContent) => ({
  data: data.map(
    (pieces) => JSON.parse(Buffer.concat(pieces).toString()) as AgentFeedResponse['data'][number],
  ),
  meta,
});
const found: FoundPage = { total: 41, items: [stored(item)], offersByDate: [] };
const dates = { today: '2026-12-01', horizonDays: 90 };
const content = (criteria: Partial<FeedCriteria>, more: Partial<FoundPage> = {}) =>
  read(feedContent({ feed: 'ai-feed', page: 1, pageSize: 20, ...criteria }, { ...found, ...more }, dates));
const served = (criteria: Partial<FeedCriteria>) =>
  content(criteria).data[0]?.availability?.map(({ date }) => date);

describe('feed response', () => {
  it('serves the public feed without availability', () => {
    expect(content({ feed: 'public-feed', page: 2 })).to.deep.equal({
      data: [item],
      meta: { page: 2, pageSize: 20, pageCount: 3, total: 41, endpoint: 'public-feed' },
    });
    expect(content({ feed: 'public-feed', date: '2026-12-03' }).data).to.deep.equal([item]);
  });

  it('contains its endpoint', () => {
    expect(content({ feed: 'ai-feed' }).meta.endpoint).to.equal('ai-feed');
    expect(content({ feed: 'public-feed', adType: 'rent' }).meta.endpoint).to.equal('public-feed/rent');
    expect(content({ feed: 'ai-feed', adType: 'service' }).meta.endpoint).to.equal('ai-feed/service');
  });

  it('counts pages exactly', () => {
    const pageCount = (total: number) => content({}, { total }).meta.pageCount;
    expect([0, 1, 20, 21].map(pageCount)).to.deep.equal([0, 1, 1, 2]);
  });

  it('serves availability for 90 days from today on', () => {
    expect(content({}).data[0]).to.deep.equal({ ...servedItem, availability: calendar.slice(1, 4) });
    expect(served({})).to.deep.equal(['2026-12-01', '2026-12-03', '2027-02-28']);
  });

  it('serves only the requested date', () => {
    expect(content({ date: '2026-12-03' }).data[0]?.availability).to.deep.equal([
      { date: '2026-12-03', available: true, price: 10 },
    ]);
  });

  it('serves the requested range of dates', () => {
    expect(served({ date: '2026-12-01', dateTo: '2026-12-03' })).to.deep.equal(['2026-12-01', '2026-12-03']);
    const { availability } = content({ date: '2026-12-01', dateTo: '2026-12-03' }).meta;
    expect(availability?.map(({ date }) => date)).to.deep.equal([
      '2026-12-01',
      '2026-12-02',
      '2026-12-03',
      '2026-12-04',
      '2026-12-05',
      '2026-12-06',
    ]);
  });

  it('in a cursor crawl: no page number, and a next cursor if there are further items', () => {
    const criteria: FeedCriteria = { feed: 'public-feed', pageSize: 1 };
    const more = [...found.items, { ...stored({ ...item, id: '2' }), position: { key: 6, id: '2' } }];
    const next = read(feedContent(criteria, { ...found, items: more }, dates));
    expect(next).to.deep.equal({
      data: [item],
      meta: {
        pageSize: 1,
        pageCount: 41,
        total: 41,
        nextCursor: encodeCursor(criteria, position),
        endpoint: 'public-feed',
      },
    });
    expect(feedContent(criteria, found, dates).meta).not.to.have.property('nextCursor');
    expect(feedContent({ ...criteria, page: 1 }, { ...found, items: more }, dates).meta).not.to.have.property(
      'nextCursor',
    );
  });

  it('always serves availability as an array on the agent feed', () => {
    expect(content({}, { items: [stored(item, [])] }).data[0]?.availability).to.deep.equal([]);
  });

  it('summarizes the neighboring dates, without prices if no items are available', () => {
    const offersByDate = [{ date: '2026-12-02', items: 2, minPrice: 5, maxPrice: 9.5 }];
    expect(content({ date: '2026-11-29' }, { offersByDate }).meta.availability).to.deep.equal([
      { date: '2026-12-01', items: 0 },
      { date: '2026-12-02', items: 2, min_price: 5, max_price: 9.5 },
    ]);
    expect(content({ date: '2026-11-01' }).meta.availability).to.deep.equal([]);
    expect(content({}).meta).not.to.have.property('availability');
    expect(content({ feed: 'public-feed', date: '2026-12-03' }).meta).not.to.have.property('availability');
  });
});
