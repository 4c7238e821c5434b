import { setTimeout as pass } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import { pagingItems } from '@vitrine/fixtures';
import { createElasticsearch } from '@vitrine/runtime/elasticsearch';
import { expect } from 'chai';
import { engines } from '../support/engines.ts';
import { loadFromProcess } from '../support/http-load.ts';
import { searchesOf } from '../support/items-index.ts';
import { type QueryProcess, startQueryProcess } from '../support/query-service.ts';

const FULL = process.env.VITRINE_FULL === '1';
const ITEMS = 20_000;
const LIMIT = 4;
const LEAVING = 50;
const STAYING = 6;
const ROUNDS = FULL ? 6 : 3;
const SECONDS = FULL ? 10 : 3;
/**
 * Time until the operating system has dropped connections whose clients left before the service accepted
 * them.
 */
const SETTLE_MS = 1_500;

describe('query service: clients that disconnect', () => {
  let query: QueryProcess;
  let elasticsearch: Client;
  let seed = Number(process.env.VITRINE_SEED ?? Date.now() % 1e6);

  before(async () => {
    const { ELASTICSEARCH_URL } = (await engines()).settings;
    elasticsearch = createElasticsearch({ url: ELASTICSEARCH_URL, requestTimeout: 10_000, maxRetries: 0 });
    query = await startQueryProcess(pagingItems(ITEMS), {
      ELASTICSEARCH_URL,
      SEARCH_CONCURRENCY: String(LIMIT),
      CACHE_BYTES: '0',
    });
  });
  after(async () => {
    await query?.close();
    await elasticsearch?.close();
  });

  const clients = (kind: 'stay' | 'leave', count: number, seconds: number) =>
    loadFromProcess({ kind, origin: query.origin, clients: count, seconds, seed: ++seed, items: ITEMS });

  it(`cause at most ${LIMIT} concurrent searches if ${LEAVING} of them leave after 5 ms, and other clients are served`, async function () {
    this.timeout(300_000 + 2_000 * ROUNDS * SECONDS);
    process.stderr.write(`# VITRINE_SEED=${seed}\n`);
    await clients('stay', STAYING, 3);
    const running: number[] = [];
    let asked = 0;
    for (let round = 0; round < ROUNDS; round++) {
      await pass(SETTLE_MS);
      let isOver = false;
      const sampled = (async () => {
        for (; !isOver; await pass(20)) running.push((await searchesOf(elasticsearch, query.prefix)).length);
      })();
      const [left, { samples }] = await Promise.all([
        clients('leave', LEAVING, SECONDS + 1),
        clients('stay', STAYING, SECONDS),
      ]);
      isOver = true;
      await sampled;
      asked += left.asked;
      const served = samples.filter(({ status }) => status === 200);
      process.stderr.write(
        `# served ${served.length} of ${samples.length}; abandoned ${left.asked}, searches ${Math.max(...running)}\n`,
      );
      // A refusal takes no time, so on a slow machine most responses are refusals.
      expect(served.length, 'served pages').to.be.at.least(STAYING);
    }
    expect(asked, 'abandoned requests').to.be.above(ROUNDS * SECONDS * 50);
    expect(Math.max(...running), 'searches in Elasticsearch').to.be.within(1, LIMIT);
  });
});
