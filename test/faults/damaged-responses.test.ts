import { setTimeout as pass } from 'node:timers/promises';
import { changeNumber } from '@vitrine/feed-index';
import { generateItems } from '@vitrine/fixtures';
import { TIME_LIMITS } from '@vitrine/query';
import { expect } from 'chai';
import { createChangesIndex, deleteChanges, writeEntries, writeHistory } from '../support/changes-index.ts';
import { engines } from '../support/engines.ts';
import { type FaultProxy, type ProxiedRequest, startFaultProxy } from '../support/fault-proxy.ts';
import { fetchAccepted } from '../support/fetch-accepted.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';
import { eventually } from '../support/service-process.ts';

/**
 * The bodies that a proxy or a damaged node may return instead of a real response, always with status 200.
 */
const BODIES: readonly [name: string, damage: (answer: Buffer) => Buffer][] = [
  ['{}', () => Buffer.from('{}')],
  ['null', () => Buffer.from('null')],
  ['a page of a proxy', () => Buffer.from('<html>ok</html>')],
  ['the first half', (answer) => answer.subarray(0, answer.length / 2)],
  [
    'a search without hits',
    () =>
      Buffer.from('{"took":1,"timed_out":false,"_shards":{"total":1,"successful":1,"failed":0},"hits":{}}'),
  ],
];
const LONG_AGO = Date.now() - 3_600_000;
const SLOW_MS = 1_200;
/** Requests share a point in time and a view for this long. */
const SHARED_MS = 1_100;
/** The number of pages that a service may serve before it sends a kind of request again. */
const ATTEMPTS = 3;

describe('G11: damaged and slow responses of Elasticsearch', () => {
  /**
   * The deployment with the index. One service for each kind of damage reads this index, so that all kinds
   * share the waits for `SHARED_MS`.
   */
  let deployment: QueryDeployment;
  let readers: { proxy: FaultProxy; service: QueryDeployment }[];
  const items = generateItems(20);
  const ids = items.map(({ id }) => id);

  before(async () => {
    deployment = await startQuery();
    const { elasticsearch, prefix } = deployment;
    await deployment.createIndex(items);
    // The follower's number belongs to an older generation, so a page also reads the history.
    for (const generation of [1, 2]) {
      await createChangesIndex(elasticsearch, prefix, generation, generation === 1 ? 2 : undefined);
      const entries = ids.map((id) => [id, 'updated'] as const);
      await writeEntries(elasticsearch, prefix, generation, entries, LONG_AGO);
    }
    const handover = { from: 19, to: 19 };
    const after = { epoch: 1, generation: 2 };
    const transition = { epoch: 2, generation: 1, after, handover, at: new Date().toISOString() };
    await writeHistory(elasticsearch, prefix, { transitions: [transition], kept: [] });
    const { ELASTICSEARCH_URL } = (await engines()).settings;
    readers = await Promise.all(
      BODIES.map(async () => {
        const proxy = await startFaultProxy(ELASTICSEARCH_URL);
        // The services have no cache, and the feeds share no point in time.
        const uncached = { CACHE_BYTES: '0', CACHE_FRESH_SECONDS: '0' };
        const env = { INDEX_PREFIX: prefix, ELASTICSEARCH_URL: proxy.url, ...uncached };
        return { proxy, service: await startQuery({ env, timeLimits: TIME_LIMITS }) };
      }),
    );
  });
  after(async () => {
    for (const { proxy, service } of readers) {
      await service.close();
      await proxy.close();
    }
    await deleteChanges(deployment.elasticsearch, deployment.prefix);
    await deployment.close();
  });
  afterEach(() => {
    for (const { proxy } of readers) proxy.hook = () => 'pass';
  });

  const PATHS = [
    '/api/public-feed?pageSize=5',
    '/api/ai-feed?page=2&pageSize=5',
    `/api/changes?afterChangeNumber=${changeNumber(1, 4)}&limit=5`,
    '/api/export',
  ];
  const statusOf = async (
    { origin }: QueryDeployment,
    path: string,
    request: typeof fetchAccepted = fetch,
  ) => {
    const response = await request(`${origin}${path}`);
    const text = await response.text().catch((error: Error) => error.message);
    // A page of changes contains the address of the next one, and a page of the feed the time of its creation.
    const same = text.replaceAll(origin, '').replace(/"generatedAt":"[^"]*"/, '');
    return { status: response.status, text: same };
  };
  /** The requests to Elasticsearch that a path needs, by their kind. */
  const kindOf = ({ method, path }: ProxiedRequest) =>
    `${method} ${(path.split('?')[0] ?? '').replaceAll(deployment.prefix, 'p')}`;

  for (const path of PATHS)
    it(`never become a 500, a 410, an empty page or the end of an export: ${path.split('?')[0]}`, async () => {
      await pass(SHARED_MS);
      const [{ proxy, service }] = readers as [(typeof readers)[number]];
      const kinds = new Set<string>();
      proxy.hook = (_, moment, request) => {
        if (moment === 'before') kinds.add(kindOf(request));
        return 'pass';
      };
      const whole = await statusOf(service, path, fetchAccepted);
      expect(whole.status).to.equal(200);
      let damaged = 0;
      // The response to a request that closes a point in time has no content that matters.
      for (const kind of [...kinds].filter((name) => !name.startsWith('DELETE')))
        await Promise.all(
          readers.map(async ({ proxy, service }, i) => {
            const [name, damage] = BODIES[i] as (typeof BODIES)[number];
            let isDamaged = false;
            proxy.hook = (_, moment, request) => {
              if (moment !== 'after' || kindOf(request) !== kind || request.body.includes('match_none'))
                return 'pass';
              isDamaged = true;
              return { answer: damage(request.answer ?? Buffer.alloc(0)) };
            };
            // The feed does not send every kind of request for every page.
            for (let attempt = 1; attempt <= ATTEMPTS && !isDamaged; attempt++) {
              await pass(SHARED_MS);
              const { status, text } = await statusOf(service, path);
              const what = `${name} as the response to ${kind}: ${text.slice(0, 200)}`;
              if (isDamaged && status !== 503) expect([status, text], what).to.deep.equal([200, whole.text]);
            }
            if (isDamaged) damaged++;
          }),
        );
      expect(damaged, 'damaged responses').to.be.at.least(BODIES.length);
    });

  it('lets a follower continue if each request takes 1.2 s longer', async () => {
    const [{ proxy, service }] = readers as [(typeof readers)[number]];
    proxy.hook = (_, moment) => (moment === 'before' ? pass(SLOW_MS, 'pass' as const) : 'pass');
    const path = `/api/changes?afterChangeNumber=${changeNumber(2, 4)}&limit=5`;
    // A busy machine can also make a page too slow. The follower then requests the page again.
    const text = await eventually('a page of changes', async () => {
      await pass(SHARED_MS);
      const page = await statusOf(service, path);
      expect(page.status, page.text).to.be.oneOf([200, 503]);
      return page.status === 200 && page.text;
    });
    expect((JSON.parse(text) as { items: unknown[] }).items).to.have.length(5);
  });
});
