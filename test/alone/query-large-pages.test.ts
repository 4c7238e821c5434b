import { connect, type Socket } from 'node:net';
import { setTimeout as pass } from 'node:timers/promises';
import type { Item } from '@vitrine/feed-index';
import { generateItems, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { ask, type HttpAnswer } from '../contract/http-answer.ts';
import { engines } from '../support/engines.ts';
import { type QueryProcess, startQueryProcess } from '../support/query-service.ts';
import { eventually, peakMemoryOf } from '../support/service-process.ts';

/**
 * These items have a total size of 30 MB. Sixteen unlimited pages of them would exceed the process's memory.
 */
const ITEMS = 30;
/** The service's default number of concurrent pages. */
const AT_ONCE = 16;
const SLOW_READERS = 60;
const MEMORY_MB = 512;
const ENCODINGS = ['br', 'gzip', 'zstd', 'identity'];

/** The largest content of an event: 100,000 characters of text with 4 bytes each, and 200 images. */
const large = (item: Item, n: number): Item => ({
  ...item,
  feed_item: {
    ...item.feed_item,
    // This text does not compress well, so compressed responses are large too.
    title: Array.from({ length: 50_000 }, (_, i) =>
      String.fromCodePoint(0x1f300 + ((i * i * 7 + i * n) % 700)),
    ).join(''),
    description: Array.from({ length: 100_000 }, (_, i) =>
      String.fromCodePoint(0x20000 + ((i * i * 31 + i * (n + 3)) % 40_000)),
    ).join(''),
    images: Array.from({ length: 200 }, (_, i) => `https://example.com/${n}/${i}/${'a'.repeat(1_500)}`),
  },
});

interface Page {
  data: { id: string }[];
  meta: { pageSize: number; total: number; nextCursor?: string };
}

describe('query service: pages of very large items', () => {
  let query: QueryProcess;
  const sockets: Socket[] = [];
  const get = (path: string, encoding = 'identity') =>
    ask(`${query.origin}/api${path}`, { headers: { 'accept-encoding': encoding } });
  /** The response to a request that the service does not refuse because of other requests. */
  const accepted = (path: string) =>
    eventually(`a response to ${path}`, async () => {
      const answer = await get(path);
      return answer.status !== 503 && answer;
    });
  const pageOf = ({ text }: HttpAnswer) => JSON.parse(text) as Page;
  const pid = () => query.process.child.pid ?? 0;
  /**
   * The page sizes differ, so no two requests share a page. Requests for the public feed take Elasticsearch
   * the longest.
   */
  const paths = (parameters: string) =>
    Array.from(
      { length: AT_ONCE },
      (_, n) => `/${n % 4 === 0 ? 'public-feed' : 'ai-feed'}?pageSize=${100 - n}${parameters}`,
    );

  before(async () => {
    const { ELASTICSEARCH_URL } = (await engines()).settings;
    query = await startQueryProcess(generateItems(ITEMS).map(large), {
      ELASTICSEARCH_URL,
      FEED_TODAY: TODAY,
    });
  });
  afterEach(() => process.stderr.write(`# peak memory ${peakMemoryOf(pid()).toFixed(0)} MB\n`));
  after(async () => {
    for (const socket of sockets) socket.destroy();
    await query?.close();
  });

  it('a numbered page is refused with 400 and advice, in bounded memory', async () => {
    const answers = await Promise.all(paths('').map((path, n) => get(path, ENCODINGS[n % ENCODINGS.length])));
    answers.push(await accepted('/ai-feed?pageSize=100'));
    // Elasticsearch itself may refuse some of the searches because it lacks memory.
    expect([...new Set(answers.map(({ status }) => status))])
      .to.include(400)
      .and.satisfy((all: number[]) => all.every((it) => it === 400 || it === 503));
    for (const { status, text } of answers)
      if (status === 400) {
        const { errors } = JSON.parse(text) as { errors: unknown };
        const detail = 'must be smaller, because these items exceed 8 MiB. Or use a cursor';
        expect(errors).to.deep.equal([{ parameter: 'pageSize', detail }]);
      }
    expect(peakMemoryOf(pid()), 'peak memory in MB').to.be.below(MEMORY_MB);
  });

  it('a cursor page contains only the items that fit, and a crawl misses no items', async () => {
    const answers = await Promise.all(
      paths('&cursor=*').map((path, n) => get(path, ENCODINGS[n % ENCODINGS.length])),
    );
    answers.push(await accepted('/ai-feed?pageSize=100&cursor=*'));
    const pages = answers.filter(({ status }) => status === 200).map(pageOf);
    expect(answers.every(({ status }) => status === 200 || status === 503)).to.equal(true);
    expect(pages.length).to.be.above(0);
    for (const { data, meta } of pages) {
      expect(data.length).to.be.within(2, 12);
      expect(meta.pageSize).to.be.above(80);
      expect(meta).to.have.property('nextCursor');
    }
    const ids: string[] = [];
    for (let cursor: string | undefined = '*'; cursor !== undefined; ) {
      const { data, meta }: Page = pageOf(
        await accepted(`/ai-feed?pageSize=100&cursor=${encodeURIComponent(cursor)}`),
      );
      ids.push(...data.map(({ id }) => id));
      cursor = meta.nextCursor;
    }
    expect(ids).to.have.lengthOf(ITEMS);
    expect(new Set(ids).size).to.equal(ITEMS);
    expect(peakMemoryOf(pid()), 'peak memory in MB').to.be.below(MEMORY_MB);
  });

  it('a page of one item always works', async () => {
    for (const path of [
      '/public-feed?pageSize=1',
      '/ai-feed?pageSize=1&page=7',
      '/ai-feed?pageSize=1&cursor=*',
    ]) {
      const { data } = pageOf(await accepted(path));
      expect(data, path).to.have.lengthOf(1);
    }
  });

  it('clients that do not read large pages are disconnected, the slowest first, and others are served', async () => {
    for (let n = 0; n < SLOW_READERS; n++) {
      const socket = connect(query.port, '127.0.0.1').on('error', () => undefined);
      sockets.push(socket);
      socket.pause();
      socket.write(`GET /api/ai-feed?cursor=*&pageSize=${40 + n} HTTP/1.1\r\nHost: x\r\n\r\n`);
      await pass(100);
    }
    await eventually(
      'the service disconnects some slow readers',
      async () => (await query.metric('turned_away_total', 'slow')) > SLOW_READERS / 10,
      120_000,
    );
    // While the searches of the slow readers fill the queue, the service may refuse a page with Retry-After.
    await eventually(
      'the service serves another client',
      async () => (await get('/public-feed?pageSize=2')).status === 200,
      120_000,
      1_000,
    );
    expect(peakMemoryOf(pid()), 'peak memory in MB').to.be.below(MEMORY_MB);
  }).timeout(300_000);
});
