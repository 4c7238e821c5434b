import { setTimeout as pass } from 'node:timers/promises';
import {
  changeNumber,
  changesEpochAlias,
  changesHistoryIndex,
  generationNames,
  type Item,
} from '@vitrine/feed-index';
import { generateItems } from '@vitrine/fixtures';
import { expect } from 'chai';
import { ask } from '../contract/http-answer.ts';
import { createChangesIndex, deleteChanges, writeEntries, writeHistory } from '../support/changes-index.ts';
import { engines } from '../support/engines.ts';
import { startFaultProxy, type Verdict } from '../support/fault-proxy.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';
import { eventually } from '../support/service-process.ts';

interface Entry {
  state: 'updated' | 'deleted';
  kind: string;
  id: string;
  modified: number;
  at: string;
  data?: Record<string, unknown>;
}
interface ChangesPage {
  next: string;
  items: Entry[];
  license: string;
}

/** The service shares a view for a second, so the view has expired after this time. */
const VIEW_EXPIRED_MS = 1_100;

describe('query service: changes', () => {
  let deployment: QueryDeployment;
  const items = generateItems(30);
  const item = (i: number): Item => items[i] as Item;
  const get = (path: string, headers: Record<string, string> = {}) =>
    ask(`${deployment.origin}/api${path}`, { headers });
  const pageAt = async (path: string): Promise<ChangesPage> => {
    const { status, text } = await get(path);
    expect(status, `${path}: ${text}`).to.equal(200);
    return JSON.parse(text) as ChangesPage;
  };
  const changesAfter = (number: number, more = '') => `/changes?afterChangeNumber=${number}${more}`;
  /** Waits until a page that was empty has changes, and returns them. */
  const untilChanged = async (path: string): Promise<Entry[]> => {
    let entries: Entry[] = [];
    await eventually('changes', async () => {
      entries = (await pageAt(path)).items;
      return entries.length > 0;
    });
    return entries;
  };

  before(async () => {
    deployment = await startQuery();
    const { elasticsearch, prefix } = deployment;
    await deployment.createIndex(items.slice(0, 20));
    expect((await get('/changes')).status, 'without a changes index').to.equal(503);
    await createChangesIndex(elasticsearch, prefix, 1, 1);
    await writeEntries(elasticsearch, prefix, 1, [
      ...items.slice(0, 20).map(({ id }) => [id, 'updated'] as const),
      ['gone', 'deleted'],
    ]);
  });
  after(async () => {
    await deleteChanges(deployment.elasticsearch, deployment.prefix);
    await deployment.close();
  });

  it('lists every item and removal once, in ascending order, and ends at an empty page', async () => {
    const entries: Entry[] = [];
    let url = `${deployment.origin}/api/changes?limit=6`;
    for (;;) {
      const { text } = await ask(url);
      const page = JSON.parse(text) as ChangesPage;
      expect(page.license).to.equal('https://creativecommons.org/licenses/by/4.0/');
      if (page.items.length === 0) {
        expect(page.next).to.equal(url);
        break;
      }
      expect(new URL(page.next).searchParams.get('limit')).to.equal('6');
      entries.push(...page.items);
      url = page.next;
    }
    expect(entries.map(({ id }) => id)).to.deep.equal([...items.slice(0, 20).map(({ id }) => id), 'gone']);
    expect(entries.map(({ modified }) => modified)).to.deep.equal(entries.map((_, i) => changeNumber(1, i)));
    const { at, ...last } = entries.at(-1) as Entry;
    expect(Date.now() - Date.parse(at)).to.be.within(0, 3_600_000);
    expect(last).to.deep.equal({
      state: 'deleted',
      kind: 'listing',
      id: 'gone',
      modified: changeNumber(1, 20),
    });
  });

  it('contains the item of the agent feed with its whole calendar, ad type and time of publication', async () => {
    const { items: entries } = await pageAt('/changes?limit=1');
    const { feed_item, calendar, ad_type, published_at } = item(0);
    expect(entries[0]?.data).to.deep.equal({
      ...feed_item,
      availability: calendar,
      ...(ad_type && { ad_type }),
      published_at: new Date(published_at).toISOString(),
    });
  });

  it('rejects other parameters, and serves an empty page above all numbers', async () => {
    for (const query of [
      'afterChangeNumber=-1',
      'afterChangeNumber=9007199254740992',
      'limit=0',
      'limit=1001',
    ])
      expect((await get(`/changes?${query}`)).status, query).to.equal(400);
    const { items: none, next } = await pageAt(changesAfter(Number.MAX_SAFE_INTEGER));
    expect(none).to.deep.equal([]);
    expect(next).to.match(/afterChangeNumber=9007199254740991$/);
  });

  it('has a long lifetime in caches only if it is full, an entity tag, and CORS headers', async () => {
    const path = `${changesAfter(changeNumber(1, 0))}&limit=3`;
    const full = await get(path);
    expect(full.headers['cache-control']).to.equal('public, max-age=3600');
    const first = await get('/changes?limit=3');
    expect(first.headers['cache-control'], 'from the beginning').to.equal('public, max-age=2');
    expect(full.headers['access-control-allow-origin']).to.equal('*');
    const last = await get('/changes');
    expect(last.headers['cache-control']).to.equal('public, max-age=2');
    const etag = String(full.headers.etag);
    expect((await get(path, { 'If-None-Match': etag })).status).to.equal(304);
  });

  it('builds its URLs from the Host of each request, even from the cache', async () => {
    for (const host of ['one.test', 'two.test:8080', 'one.test']) {
      const { text } = await get('/changes?limit=2', { Host: host });
      expect((JSON.parse(text) as ChangesPage).next).to.match(new RegExp(`^http://${host}/api/changes\\?`));
    }
  });

  it('shows a new entry within 2 s, with the item as it is now, although neither index was refreshed', async () => {
    const { elasticsearch, prefix } = deployment;
    const position = changeNumber(1, 20);
    expect((await pageAt(changesAfter(position))).items).to.deep.equal([]);
    const { items: index, changes } = generationNames(prefix, 1);
    for (const name of [index, changes])
      await elasticsearch.indices.putSettings({ index: name, settings: { refresh_interval: '-1' } });
    const { hits } = await elasticsearch.search<Record<string, unknown>>({
      index,
      query: { term: { id: item(3).id } },
    });
    const document = { ...hits.hits[0]?._source, feed_item: { ...item(3).feed_item, title: 'New title' } };
    await elasticsearch.index({ index, id: item(3).id, document });
    await elasticsearch.delete({ index, id: item(4).id });
    await writeEntries(elasticsearch, prefix, 1, [
      [item(3).id, 'updated'],
      [item(4).id, 'updated'],
    ]);
    const entries = await untilChanged(changesAfter(position));
    expect(entries.map(({ id, state }) => [id, state])).to.deep.equal([
      [item(3).id, 'updated'],
      [item(4).id, 'deleted'],
    ]);
    expect(entries[0]?.data?.title).to.equal('New title');
    const { items: all } = await pageAt('/changes?limit=1000');
    expect(new Set(all.map(({ id }) => id)).size).to.equal(all.length);
  });

  it('reads the checkpoint without the statistics that need the disk', async () => {
    const { settings } = await engines();
    const proxy = await startFaultProxy(settings.ELASTICSEARCH_URL);
    const other = await startQuery({
      env: { ELASTICSEARCH_URL: proxy.url, INDEX_PREFIX: deployment.prefix },
    });
    const statistics = new Set<string>();
    try {
      proxy.hook = (_step, _moment, { path }) => {
        if (path.includes('/_stats')) statistics.add(path.replace(/\?.*/, ''));
        return 'pass';
      };
      expect((await ask(`${other.origin}/api/changes`)).status).to.equal(200);
    } finally {
      await other.close();
      await proxy.close();
    }
    expect([...statistics]).to.deep.equal([`/${generationNames(deployment.prefix, 1).changes}/_stats/docs`]);
  });

  it('shows the previous view while the refresh of the next one waits, as during a rebuild', async () => {
    const { settings } = await engines();
    const proxy = await startFaultProxy(settings.ELASTICSEARCH_URL);
    const other = await startQuery({
      env: { ELASTICSEARCH_URL: proxy.url, INDEX_PREFIX: deployment.prefix },
    });
    const released = Promise.withResolvers<void>();
    try {
      const first = await ask(`${other.origin}/api/changes`);
      let waiting = 0;
      proxy.hook = async (_step, moment, { path }): Promise<Verdict> => {
        if (moment === 'before' && path.includes('/_refresh')) {
          waiting++;
          await released.promise;
        }
        return 'pass';
      };
      await pass(VIEW_EXPIRED_MS);
      // The limit differs, because a cache may still have the first page.
      const second = await ask(`${other.origin}/api/changes?limit=90`);
      // On a busy machine, the service uses the previous view even before the refresh begins.
      await eventually('the refresh waits', async () => waiting > 0);
      expect([first.status, second.status, waiting]).to.deep.equal([200, 200, 1]);
      const itemsOf = ({ text }: { text: string }) => (JSON.parse(text) as ChangesPage).items;
      expect(itemsOf(second)).to.deep.equal(itemsOf(first));
    } finally {
      released.resolve();
      await other.close();
      await proxy.close();
    }
  });

  it('waits for the shard of a new history', async () => {
    const other = await startQuery();
    const { elasticsearch, prefix, origin } = other;
    const index = changesHistoryIndex(prefix);
    try {
      await other.createIndex(items.slice(0, 3));
      await createChangesIndex(elasticsearch, prefix, 1, 1);
      await elasticsearch.indices.create({
        index,
        wait_for_active_shards: 0,
        settings: { number_of_replicas: 0, 'index.routing.allocation.require._name': 'no-node' },
      });
      const response = ask(`${origin}/api/changes`);
      await pass(500);
      await elasticsearch.indices.putSettings({
        index,
        settings: { 'index.routing.allocation.require._name': null },
      });
      expect((await response).status).to.equal(200);
    } finally {
      await deleteChanges(elasticsearch, prefix);
      await other.close();
    }
  });

  it('continues across generations, and sends only expired clients back', async () => {
    const { elasticsearch, prefix } = deployment;
    const last = changeNumber(1, 22);
    await createChangesIndex(elasticsearch, prefix, 2);
    await elasticsearch.indices.create({ index: generationNames(prefix, 2).items });
    try {
      await writeEntries(elasticsearch, prefix, 2, [
        ['before', 'updated'],
        ['touched', 'deleted'],
      ]);
      await writeHistory(elasticsearch, prefix, {
        transitions: [
          {
            epoch: 2,
            generation: 2,
            after: { epoch: 1, generation: 1 },
            handover: { from: 22, to: 0 },
            at: new Date().toISOString(),
          },
        ],
        kept: [],
      });
      const [one, two] = [generationNames(prefix, 1), generationNames(prefix, 2)];
      await elasticsearch.indices.updateAliases({
        actions: [
          { remove: { index: one.changes, alias: changesEpochAlias(prefix, 1), must_exist: true } },
          { add: { index: two.changes, alias: changesEpochAlias(prefix, 2) } },
          { remove: { index: one.items, alias: `${prefix}-items` } },
          { add: { index: two.items, alias: `${prefix}-items` } },
        ],
      });
      const crossed = await untilChanged(changesAfter(last));
      expect(crossed.map(({ id, modified }) => [id, modified])).to.deep.equal([
        ['touched', changeNumber(2, 1)],
      ]);
      const behind = await pageAt(changesAfter(changeNumber(1, 20)));
      expect(behind.items.map(({ id, state }) => [id, state])).to.deep.equal([
        [item(3).id, 'deleted'],
        [item(4).id, 'deleted'],
      ]);
      expect(behind.items.at(-1)?.modified).to.equal(last);
      await elasticsearch.indices.delete({ index: one.changes });
      const behindAll = changesAfter(changeNumber(1, 20));
      await eventually('the removal is noticed', async () => (await get(behindAll)).status === 410);
      expect((await pageAt(changesAfter(last))).items.map(({ id }) => id)).to.deep.equal(['touched']);
      const expired = await get(behindAll);
      expect(expired.status).to.equal(410);
      expect(expired.headers['content-type']).to.equal('application/problem+json');
      expect(expired.headers.link).to.match(/^<http:\/\/127\.0\.0\.1:\d+\/api\/export>; rel="start"$/);
    } finally {
      await elasticsearch.indices.delete({ index: generationNames(prefix, 2).items });
    }
  });
});
