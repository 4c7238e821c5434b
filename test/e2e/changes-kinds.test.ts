import type { Client } from '@elastic/elasticsearch';
import { CHANGES_MAPPING_VERSION, generationNames } from '@vitrine/feed-index';
import { MarketEvents } from '@vitrine/fixtures';
import { RULES } from '@vitrine/listing';
import type { ListingEvent } from '@vitrine/listing-events';
import { Projection } from '@vitrine/projection';
import { createIndices, documentRules, versionsWith } from '@vitrine/projection/generations';
import { liftEntries, touchEntries } from '@vitrine/projection/store';
import { createElasticsearch, elasticsearchConnection } from '@vitrine/runtime/elasticsearch';
import { expect } from 'chai';
import { entriesOf, type FoundEntry } from '../support/changes-index.ts';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { engines } from '../support/engines.ts';
import { type FaultProxy, type Step, startFaultProxy } from '../support/fault-proxy.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';

const HOUR = 3_600_000;
const FIELDS = {
  title: 'Casa',
  price: 100,
  location: { city: 'Bonito', state: 'MS' },
  url: 'https://a.example/',
  category: 'Chalé',
};
const PLACE = { city: ['bonito', 'bonito-ms'], category: 'chale' };

describe('the kinds of changes in the entries', () => {
  let client: Client;
  let proxied: Client;
  let proxy: FaultProxy;
  const start = Date.parse('2026-11-22T12:00:00Z');
  let now = start;
  let version = 0;
  const prefixOf = (mapping: number) => `changes-kinds-${mapping}-${process.pid}`;

  const connectTo = (url: string, settings: Record<string, string>) =>
    createElasticsearch({
      ...elasticsearchConnection({ ...settings, ELASTICSEARCH_URL: url } as never),
      requestTimeout: 60_000,
      maxRetries: 0,
    });
  /** Applies events as a new process does, without the previous one's cache. */
  const apply = (id: string, events: readonly ListingEvent[], mapping = CHANGES_MAPPING_VERSION) =>
    new Projection({
      client: proxied,
      generation: generationNames(prefixOf(mapping), 1),
      rules: documentRules(versionsWith(RULES), RULES),
      changesMapping: mapping,
      now: () => now,
    }).apply(new Map([[id, events]]));
  const event = (id: string, kind: string, more: object): ListingEvent =>
    ({ kind, id, version: ++version, time: start - 24 * HOUR, ...more }) as ListingEvent;
  const changed = (id: string, fields: object) => event(id, 'changed', { fields });
  const dates = (id: string, ...dates: object[]) =>
    event(id, 'availability_changed', { mode: 'merge', dates });
  const removed = (id: string) => event(id, 'removed', {});
  const entryOf = async (id: string, mapping = CHANGES_MAPPING_VERSION) => {
    const { changes } = generationNames(prefixOf(mapping), 1);
    const {
      sequence: _,
      version: __,
      ...entry
    } = (await entriesOf(client, changes)).find((one) => one.id === id) as FoundEntry;
    return entry;
  };
  const killBefore = (at: Step) => {
    proxy.hook = (step, when) => (when === 'before' && step === at ? 'cut' : 'pass');
  };
  const killed = async (work: Promise<unknown>) => {
    expect(await work.then(String, ({ name }: Error) => name)).to.equal('ElasticsearchUnavailableError');
    proxy.hook = () => 'pass';
  };

  before(async () => {
    const { settings } = await engines();
    proxy = await startFaultProxy(settings.ELASTICSEARCH_URL as string);
    client = connectTo(settings.ELASTICSEARCH_URL as string, settings);
    proxied = connectTo(proxy.url, settings);
    for (const mapping of [1, CHANGES_MAPPING_VERSION])
      await createIndices(
        client,
        { INDEX_PREFIX: prefixOf(mapping), INDEX_SHARDS: 1, INDEX_REPLICAS: '0' },
        generationNames(prefixOf(mapping), 1),
        { ...versionsWith(RULES), changes: mapping },
        'live',
      );
  });
  beforeEach(() => {
    now += HOUR;
  });
  after(async () => {
    for (const mapping of [1, CHANGES_MAPPING_VERSION]) {
      const { states, items, changes } = generationNames(prefixOf(mapping), 1);
      await client.indices.delete({ index: [states, items, changes] });
    }
    await Promise.all([client.close(), proxied.close(), proxy.close()]);
  });

  it('follow a listing through new, price, availability, other, removed and back again', async () => {
    await apply('a', [changed('a', FIELDS), dates('a', { date: '2026-12-01', available: true })]);
    const times: Record<string, number> = { new: now };
    expect(await entryOf('a')).to.deep.equal({ id: 'a', state: 'updated', at: now, times, ...PLACE });
    const step = async (kind: string, one: ListingEvent, more: object = {}) => {
      now += HOUR;
      times[kind] = now;
      await apply('a', [one]);
      expect(await entryOf('a')).to.deep.equal({
        id: 'a',
        state: 'updated',
        at: now,
        times,
        ...PLACE,
        ...more,
      });
    };
    const price = { previous_price: 100 };
    await step('price', changed('a', { price: 90 }), price);
    await step('availability', dates('a', { date: '2026-12-01', available: false }), price);
    await step('other', changed('a', { title: 'Casa nova' }), price);
    await step('price', changed('a', { price: 80 }), { previous_price: 90 });

    now += HOUR;
    await apply('a', [removed('a')]);
    expect(await entryOf('a')).to.deep.equal({
      id: 'a',
      state: 'deleted',
      at: now,
      times: { removed: now },
      ...PLACE,
    });
    now += HOUR;
    await apply('a', [changed('a', FIELDS)]);
    expect(await entryOf('a')).to.deep.include({ state: 'updated', times: { new: now } });
  });

  it('cost no further request: a change reads one state and writes three documents', async () => {
    await apply('cost', [changed('cost', FIELDS)]);
    const requests: string[] = [];
    proxy.hook = (_, moment, { method, path }) => {
      if (moment === 'before') requests.push(`${method} ${path.replace(/\?.*/, '')}`);
      return 'pass';
    };
    await apply('cost', [changed('cost', { price: 90 })]);
    proxy.hook = () => 'pass';
    const { statesWriter } = generationNames(prefixOf(CHANGES_MAPPING_VERSION), 1);
    expect(requests).to.deep.equal([`POST /${statesWriter}/_mget`, ...Array(3).fill('POST /_bulk')]);
    expect(await entryOf('cost')).to.deep.include({ previous_price: 100 });
  });

  it('are other or new after a touch, which different rules cause, and stay the same after a lift', async () => {
    const generation = generationNames(prefixOf(CHANGES_MAPPING_VERSION), 1);
    await apply('t', [changed('t', FIELDS)]);
    const { times } = await entryOf('t');
    await liftEntries(client, generation, ['t'], Number.MAX_SAFE_INTEGER);
    expect(await entryOf('t')).to.deep.include({ times, ...PLACE });
    await touchEntries(client, generation, ['t']);
    const touched = await entryOf('t');
    expect(touched).to.deep.include({ times: { ...times, other: touched.at }, ...PLACE });
    await apply('t', [removed('t')]);
    await liftEntries(client, generation, ['t'], Number.MAX_SAFE_INTEGER);
    expect(await entryOf('t')).to.deep.include({ state: 'deleted', times: { removed: now }, ...PLACE });
    // Only another generation has shown this listing.
    await liftEntries(client, generation, ['absent'], -1);
    expect(await entryOf('absent')).to.include({ state: 'deleted' });
    // The next rules show the listing again.
    await client.index({ index: generation.items, id: 't', document: { id: 't', published_at: 0 } });
    await touchEntries(client, generation, ['t']);
    const returned = await entryOf('t');
    expect(returned).to.deep.include({ state: 'updated', times: { new: returned.at }, ...PLACE });
  });

  it('are all in the entry if several events arrive at once, compared with the feed before', async () => {
    await apply('b', [changed('b', FIELDS)]);
    now += HOUR;
    await apply('b', [
      changed('b', { price: 90 }),
      changed('b', { title: 'Sala' }),
      changed('b', { price: 80 }),
    ]);
    expect(await entryOf('b')).to.deep.include({
      times: { new: now - HOUR, price: now, other: now },
      previous_price: 100,
    });
    now += HOUR;
    await apply('b', [removed('b'), changed('b', { ...FIELDS, title: 'Sala', price: 70 })]);
    expect((await entryOf('b')).times, 'readers never saw the removal').to.deep.equal({
      new: now - 2 * HOUR,
      price: now,
      other: now - HOUR,
    });
  });

  it('stay as they are if events are delivered again or change nothing', async () => {
    const first = changed('c', FIELDS);
    await apply('c', [first]);
    const second = changed('c', { price: 90 });
    now += HOUR;
    await apply('c', [second]);
    const { times, previous_price } = await entryOf('c');
    for (const events of [[second], [first, second], [changed('c', { price: 90 })]]) {
      now += 1_000;
      await apply('c', events);
      expect(await entryOf('c')).to.deep.include({ at: now, times, previous_price });
    }
  });

  for (const step of ['write items', 'write entries'] as const)
    it(`survive a kill before ${step}, even beside later events`, async () => {
      const id = `killed ${step}`;
      await apply(id, [changed(id, FIELDS)]);
      now += HOUR;
      const cheaper = changed(id, { price: 90 });
      const at = now;
      killBefore(step);
      await killed(apply(id, [cheaper]));
      now += HOUR;
      await apply(id, [cheaper, changed(id, { title: 'Sala' })]);
      expect(await entryOf(id)).to.deep.include({
        times: { new: at - HOUR, price: at, other: now },
        previous_price: 100,
      });
    });

  it('are not in an index of mapping 1, but the states note them for the next generation', async () => {
    await apply('old', [changed('old', FIELDS)], 1);
    now += HOUR;
    await apply('old', [changed('old', { price: 90 })], 1);
    expect(await entryOf('old', 1)).to.deep.equal({ id: 'old', state: 'updated', at: now });
    const { _source } = await client.get<{ state: { changes?: object } }>({
      index: generationNames(prefixOf(1), 1).states,
      id: 'old',
    });
    expect(_source?.state.changes).to.deep.equal({
      times: { new: now - HOUR, price: now },
      previous_price: 100,
    });
    await touchEntries(client, generationNames(prefixOf(1), 1), ['old']);
    expect(Object.keys(await entryOf('old', 1)).sort()).to.deep.equal(['at', 'id', 'state']);
  });

  it('begin with the last event for a state of 1.1.0 without notes', async () => {
    const { states } = generationNames(prefixOf(CHANGES_MAPPING_VERSION), 1);
    const all = [changed('noteless', FIELDS)];
    await apply('noteless', all);
    const { _source } = await client.get<{ state: { changes?: object } }>({ index: states, id: 'noteless' });
    delete _source?.state.changes;
    await client.index({ index: states, id: 'noteless', document: _source as object, refresh: true });
    await apply('noteless', all);
    expect((await entryOf('noteless')).times).to.deep.equal({ other: start - 24 * HOUR });
  });
});

describe('the kinds of changes across a rebuild', () => {
  const market = new MarketEvents();
  const [stays, cheaper, gone] = [1, 2, 3].map(MarketEvents.idOf) as [string, string, string];
  let deployment: Deployment;
  let projector: RunningProjector;

  before(async () => {
    deployment = await createDeployment('changes-rebuild', 1);
    projector = await runProjector(deployment, {}, { observeEvery: 200 });
    await deployment.publish([1, 2, 3].map((listing) => market.snapshot(listing)));
    await deployment.caughtUp();
    await deployment.publish([market.changed(2, { price: 50 }), market.removed(3)]);
    await deployment.caughtUp();
  });
  after(async () => {
    await projector.stop();
    await deployment.close();
  });

  const run = async (...args: string[]) => {
    const ran = await cli(deployment, args);
    expect(ran.code, ran.output).to.equal(0);
  };
  const timesOf = async (generation: number) => {
    const { changes } = generationNames(deployment.prefix, generation);
    const entries = await entriesOf(deployment.client, changes);
    return new Map(entries.map(({ id, times, previous_price }) => [id, { times, previous_price }]));
  };

  it('are the same after a rebuild from the states and a switch, and continue', async () => {
    const before = await timesOf(1);
    expect(before.get(cheaper)).to.have.nested.property('times.price');
    expect(before.get(cheaper)).to.have.property('previous_price', 102);
    expect(before.get(gone)?.times).to.have.keys('removed');
    await run('replay', '--from', 'states');
    await run('verify');
    await run('switch');
    expect(await timesOf(2)).to.deep.equal(before);
    await deployment.publish([market.changed(1, { title: 'Casa nova' })]);
    await Promise.all([deployment.caughtUp(90_000, 1), deployment.caughtUp(90_000, 2)]);
    const after = await timesOf(2);
    expect(after.get(stays)?.times).to.have.keys('new', 'other');
    expect(after.get(cheaper)).to.deep.equal(before.get(cheaper));
  });

  it('do not become new after a rebuild from the topic: each listing has the time of its last event', async () => {
    await run('replay');
    const rebuilt = await timesOf(3);
    for (const id of [stays, cheaper]) expect(rebuilt.get(id)?.times, id).to.have.keys('other');
    const last = market.sent.findLast(({ key }) => key === stays);
    const { time } = JSON.parse(String(last?.value)) as { time: string };
    expect(rebuilt.get(stays)?.times?.other).to.equal(Date.parse(time));
    expect(rebuilt.get(gone)?.times).to.have.keys('removed');
  });
});
