import { CALENDAR_DAYS, cityCorner, datasetItems, dayAfterToday, TODAY } from '@vitrine/bench/dataset';
import { type PostgresDataset, startPostgresDataset } from '@vitrine/bench/postgres-dataset';
import { QUERY_KINDS, targetOf } from '@vitrine/bench/query-kinds';
import { type Subject, startPeer } from '@vitrine/bench/subjects';
import type { Item } from '@vitrine/feed-index';
import { expect } from 'chai';
import { fetchAccepted } from '../support/fetch-accepted.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';

const ITEMS = 3_000;
/** Requests per query type, with different pages, cities, dates and points. */
const REQUESTS = 12;

const [place, day] = [cityCorner(3), dayAfterToday(9)];
const near = `lat=${place.lat + 0.2}&lng=${place.lon + 0.2}`;
/** Requests that the bench's query types do not cover. */
const OTHERS: Record<string, string> = {
  'category alone': '/api/public-feed?category=private-room&page=3',
  'agent without a date': '/api/ai-feed?city=city-1&page=2&pageSize=7',
  'agent, date range': `/api/ai-feed?date=${day}&date_to=${dayAfterToday(11)}&page=2`,
  'agent, date and category': `/api/ai-feed?date=${day}&category=private-room`,
  'agent, date near a point': `/api/ai-feed?date=${day}&${near}&localOnly=1`,
  'agent, today': `/api/ai-feed?date=${TODAY}`,
  'agent, past date': '/api/ai-feed?date=2026-11-01',
  'agent, date after every calendar': `/api/ai-feed?date=${dayAfterToday(CALENDAR_DAYS + 5)}`,
  'unknown city': '/api/public-feed?city=nowhere',
  'city without a slug': '/api/public-feed?city=-',
  'page past the end': '/api/public-feed?page=1000000',
  'items at one point, whose ids order them': `/api/public-feed?lat=-89&lng=10&pageSize=3&page=2`,
  'items without coordinates, which come last': `/api/public-feed?lat=-89&lng=10&pageSize=50&page=61`,
};

const DAY_MS = 86_400_000;

/**
 * The bench's dataset, with equal publication times, items at one point, items without coordinates, and text
 * that COPY must escape.
 */
function* items(): Generator<Item> {
  for (const item of datasetItems(ITEMS)) {
    const number = Number(/\d+/.exec(item.feed_item.title)?.[0]);
    const { point, ...rest } = item;
    rest.published_at -= rest.published_at % DAY_MS;
    if (number % 100 === 0) yield { ...rest, point: { lat: -88.9, lon: 10 } };
    else if (number % 100 === 1) yield rest;
    else
      yield {
        ...rest,
        ...(point && { point }),
        feed_item: { ...item.feed_item, title: `Sítio \\N "${number}"\té\n` },
      };
  }
}

describe('Koa over PostgreSQL, the peer of the bench', () => {
  let postgres: PostgresDataset | undefined;
  let query: QueryDeployment;
  let peers: Record<'shared counts' | 'own counts', Subject>;
  before(async function () {
    const over = new AbortController();
    const started = await startPostgresDataset(items, over.signal, () => undefined);
    if (typeof started === 'string') {
      process.stderr.write(`# ${started}\n`);
      this.skip();
    }
    postgres = started;
    const start = (seconds: number) =>
      startPeer(
        'peers/postgres-service.ts',
        { POSTGRES_PORT: String(started.port), SHARED_SECONDS: String(seconds) },
        over.signal,
      );
    peers = { 'shared counts': await start(60), 'own counts': await start(0) };
    query = await startQuery({ env: { FEED_TODAY: TODAY, CACHE_BYTES: '0' } });
    await query.createIndex([...items()]);
  });
  after(async () => {
    for (const peer of Object.values(peers ?? {})) await peer.stop();
    await query?.close();
    await postgres?.stop();
  });

  const read = async (port: number, target: string, headers: Record<string, string> = {}) => {
    const response = await fetchAccepted(`http://127.0.0.1:${port}${target}`, { headers });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  /** Expects the same bytes from both sides, except for the time, and the same entity tag. */
  const expectSame = async (target: string) => {
    const ours = await read(query.port, target);
    for (const [name, { port }] of Object.entries(peers)) {
      const theirs = await read(port, target);
      const what = `${name}: ${target}`;
      expect(JSON.parse(withoutTime(theirs.text)), what).to.deep.equal(JSON.parse(withoutTime(ours.text)));
      expect(withoutTime(theirs.text), what).to.equal(withoutTime(ours.text));
      expect(theirs.headers.get('etag'), what).to.equal(ours.headers.get('etag'));
    }
    return JSON.parse(ours.text) as { data: unknown[]; meta: { total: number } };
  };

  for (const kind of QUERY_KINDS)
    it(`${kind.name}: has the bytes of the service's responses`, async () => {
      let found = 0;
      for (let number = 0; number < REQUESTS; number++)
        found += (await expectSame(targetOf(kind, number, ITEMS))).data.length;
      expect(found).to.be.greaterThan(0);
    });

  for (const [name, target] of Object.entries(OTHERS))
    it(`${name}: has the bytes of the service's response`, async () => {
      await expectSame(target);
    });

  it('compresses like the service, and answers an entity tag with 304', async () => {
    const target = '/api/public-feed';
    for (const { port } of [query, ...Object.values(peers)])
      for (const encoding of ['br', 'zstd', 'gzip']) {
        const { headers, text } = await read(port, target, { 'Accept-Encoding': encoding });
        expect(headers.get('content-encoding')).to.equal(encoding);
        expect(JSON.parse(text).data).to.have.length(20);
        const etag = String(headers.get('etag'));
        expect((await read(port, target, { 'If-None-Match': etag })).status).to.equal(304);
      }
  });
});

const withoutTime = (json: string): string => json.replace(/"generatedAt":"[^"]*"/, '"generatedAt":""');
