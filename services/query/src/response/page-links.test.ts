import { expect } from 'chai';
import type { FeedCriteria } from '../request/criteria.ts';
import { pageLinks } from './page-links.ts';

const criteria = (more: Partial<FeedCriteria>): FeedCriteria => ({
  feed: 'public-feed',
  pageSize: 20,
  ...more,
});
/** The links to the interface description, which follow the links to the pages. */
const SERVICE =
  ', <openapi.json>; rel="service-desc"; type="application/json", <docs>; rel="service-doc"; type="text/html"';
/** The URL of each relation. */
const links = (page: number, pageCount: number, more: Partial<FeedCriteria> = {}) => {
  const header = pageLinks(criteria({ page, ...more }), {
    page,
    pageCount,
    pageSize: 20,
    total: 0,
    endpoint: 'public-feed',
  });
  expect(header.endsWith(SERVICE), header).to.equal(true);
  return Object.fromEntries(
    header
      .slice(0, -SERVICE.length)
      .split(', ')
      .map((link) => /^<public-feed(\?[^<> ]*)>; rel="(\w+)"$/.exec(link)?.slice(1).reverse() ?? [link, '?']),
  );
};

describe('page links', () => {
  it('of the first, a middle, the last and the only page', () => {
    expect(links(1, 3)).to.deep.equal({
      first: '?page=1&pageSize=20',
      next: '?page=2&pageSize=20',
      last: '?page=3&pageSize=20',
    });
    expect(links(2, 3)).to.deep.equal({
      first: '?page=1&pageSize=20',
      prev: '?page=1&pageSize=20',
      next: '?page=3&pageSize=20',
      last: '?page=3&pageSize=20',
    });
    expect(links(3, 3)).to.deep.equal({
      first: '?page=1&pageSize=20',
      prev: '?page=2&pageSize=20',
      last: '?page=3&pageSize=20',
    });
    expect(links(1, 1)).to.deep.equal({ first: '?page=1&pageSize=20', last: '?page=1&pageSize=20' });
  });

  it('of a page past the end, and of an empty result', () => {
    const back = { first: '?page=1&pageSize=20', prev: '?page=3&pageSize=20', last: '?page=3&pageSize=20' };
    expect(links(4, 3)).to.deep.equal(back);
    expect(links(Number.MAX_SAFE_INTEGER, 3)).to.deep.equal(back);
    expect(links(1, 0)).to.deep.equal({ first: '?page=1&pageSize=20', last: '?page=1&pageSize=20' });
    expect(links(2, 0)).to.deep.equal({
      first: '?page=1&pageSize=20',
      prev: '?page=1&pageSize=20',
      last: '?page=1&pageSize=20',
    });
  });

  it('contain the same filters with current names', () => {
    const everything: Partial<FeedCriteria> = {
      pageSize: 7,
      city: 'sao-paulo',
      category: 'casa',
      sub_category: '',
      date: '2026-12-01',
      dateTo: '2026-12-03',
      point: { lat: -23.5, lon: 1e-7 },
      localOnly: true,
    };
    expect(links(1, 1, everything)['last']).to.equal(
      '?page=1&pageSize=7&city=sao-paulo&category=casa&sub_category=-' +
        '&date=2026-12-01&date_to=2026-12-03&lat=-23.5&lng=1e-7&localOnly=true',
    );
  });

  it('begin with the last path segment, under any base path', () => {
    const meta = { page: 1, pageSize: 20, pageCount: 1, total: 1, endpoint: 'x' };
    for (const [feed, adType, path] of [
      ['public-feed', undefined, '/api/public-feed'],
      ['public-feed', 'service', '/api/public-feed/service'],
      ['ai-feed', undefined, '/ai-feed'],
      ['ai-feed', 'rent', '/a/b/ai-feed/rent'],
    ] as const) {
      const target =
        /<([^>]*)>; rel="first"/.exec(
          pageLinks(criteria({ feed, page: 1, ...(adType && { adType }) }), meta),
        )?.[1] ?? '';
      expect(target).to.equal(`${path.split('/').at(-1)}?page=1&pageSize=20`);
      expect(new URL(target, `http://h${path}?page=9&city=a`).href).to.equal(
        `http://h${path}?page=1&pageSize=20`,
      );
    }
  });

  it('lead to the interface description from every feed path, under any base path', () => {
    const meta = { page: 1, pageSize: 20, pageCount: 1, total: 1, endpoint: 'x' };
    for (const base of ['', '/api', '/a/b'])
      for (const adType of [undefined, 'service'] as const) {
        const path = `${base}/ai-feed${adType ? `/${adType}` : ''}`;
        const header = pageLinks(criteria({ feed: 'ai-feed', page: 1, ...(adType && { adType }) }), meta);
        const targets = [...header.matchAll(/<([^>]*)>; rel="(service-\w+)"; type="([^"]+)"/g)].map(
          ([, target = '', relation, type]) => [relation, new URL(target, `http://h${path}`).pathname, type],
        );
        expect(targets, path).to.deep.equal([
          ['service-desc', `${base}/openapi.json`, 'application/json'],
          ['service-doc', `${base}/docs`, 'text/html'],
        ]);
      }
  });

  it('in a cursor crawl: the first and the next page', () => {
    const meta = { pageSize: 20, pageCount: 2, total: 30, endpoint: 'public-feed' };
    expect(pageLinks(criteria({ city: 'a' }), { ...meta, nextCursor: 'x-_1' })).to.equal(
      '<public-feed?cursor=*&pageSize=20&city=a>; rel="first", ' +
        `<public-feed?cursor=x-_1&pageSize=20&city=a>; rel="next"${SERVICE}`,
    );
    expect(pageLinks(criteria({}), meta)).to.equal(
      `<public-feed?cursor=*&pageSize=20>; rel="first"${SERVICE}`,
    );
  });
});
