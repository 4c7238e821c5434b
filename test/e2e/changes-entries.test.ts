import { type Client, errors } from '@elastic/elasticsearch';
import {
  CHANGES_MAPPING_VERSION,
  changesEpochPattern,
  generationNames,
  liveChangesOf,
} from '@vitrine/feed-index';
import { MarketEvents } from '@vitrine/fixtures';
import { RULES } from '@vitrine/listing';
import type { ListingEvent } from '@vitrine/listing-events';
import { Projection } from '@vitrine/projection';
import { createIndices, documentRules, versionsWith } from '@vitrine/projection/generations';
import { createElasticsearch, elasticsearchConnection } from '@vitrine/runtime/elasticsearch';
import { expect } from 'chai';
import { entriesOf } from '../support/changes-index.ts';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { engines } from '../support/engines.ts';
import { type FaultProxy, type Step, startFaultProxy, type Verdict } from '../support/fault-proxy.ts';
import { runProjector } from '../support/in-process.ts';
import { eventually } from '../support/service-process.ts';

const HOUR = 3_600_000;
const FIELDS = { title: 'Casa', price: 1, location: { city: 'Recife' }, url: 'https://a.example/' };

describe('the entries of the changes index', () => {
  const prefix = `changes-entries-${process.pid}`;
  const names = generationNames(prefix, 1);
  let client: Client;
  let proxied: Client;
  let proxy: FaultProxy;
  let projection: Projection;
  let now = Date.parse('2026-11-22T12:00:00Z');
  /** The writes of the current test, in order. */
  let steps: Step[] = [];
  let version = 0;

  const connectTo = (url: string, settings: Record<string, string>) =>
    createElasticsearch({
      ...elasticsearchConnection({ ...settings, ELASTICSEARCH_URL: url } as never),
      requestTimeout: 60_000,
      maxRetries: 0,
    });
  const createProjection = () =>
    new Projection({
      client: proxied,
      generation: names,
      rules: documentRules(versionsWith(RULES), RULES),
      changesMapping: CHANGES_MAPPING_VERSION,
      now: () => now,
    });
  const changed = (id: string, fields: object): ListingEvent =>
    ({ kind: 'changed', id, version: ++version, time: 0, fields }) as ListingEvent;
  const removed = (id: string): ListingEvent =>
    ({ kind: 'removed', id, version: ++version, time: 0 }) as ListingEvent;
  const apply = (id: string, ...events: ListingEvent[]) => projection.apply(new Map([[id, events]]));
  const entryOf = async (id: string) => (await entriesOf(client, names.changes)).find((one) => one.id === id);
  const itemOf = (id: string) => client.get({ index: names.items, id }, { ignore: [404] });
  /** Cuts the connection at this step once, as if the process had been killed there. */
  const killAt = (at: Step, moment: 'before' | 'after' = 'before') => {
    let done = false;
    proxy.hook = (step, when) => {
      if (when === 'before') steps.push(step);
      if (done || step !== at || when !== moment) return 'pass';
      done = true;
      return 'cut';
    };
  };
  const expectKilled = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => undefined,
      (raised: unknown) => raised,
    );
    expect(error).to.have.property('name', 'ElasticsearchUnavailableError');
    proxy.hook = () => 'pass';
    // Another process continues, without this one's cache.
    projection = createProjection();
  };

  before(async () => {
    const { settings } = await engines();
    proxy = await startFaultProxy(settings.ELASTICSEARCH_URL as string);
    client = connectTo(settings.ELASTICSEARCH_URL as string, settings);
    proxied = connectTo(proxy.url, settings);
    await createIndices(
      client,
      { INDEX_PREFIX: prefix, INDEX_SHARDS: 3, INDEX_REPLICAS: '0' },
      names,
      versionsWith(RULES),
      'live',
    );
  });
  beforeEach(() => {
    steps = [];
    projection = createProjection();
    proxy.hook = (step, moment) => {
      if (moment === 'before') steps.push(step);
      return 'pass';
    };
  });
  after(async () => {
    await client.indices.delete({ index: [names.states, names.items, names.changes] });
    await Promise.all([client.close(), proxied.close(), proxy.close()]);
  });

  it('are in one shard, and an alias with the epoch marks the live index', async () => {
    const { [names.changes]: found } = await client.indices.getSettings({ index: names.changes });
    expect(found?.settings?.index?.number_of_shards).to.equal('1');
    const { aliases } = await client.indices.resolveIndex({ name: changesEpochPattern(prefix) });
    expect(liveChangesOf(prefix, aliases)).to.deep.equal({ epoch: 1, generation: 1 });
  });

  it('are written after the items', async () => {
    await apply('order', changed('order', FIELDS));
    expect(steps.filter((step) => step.startsWith('write'))).to.deep.equal([
      'write states',
      'write items',
      'write entries',
    ]);
    expect(await entryOf('order')).to.include({ state: 'updated', at: now, version: 1 });
  });

  it('are not written before the items are acknowledged', async () => {
    killAt('write items', 'after');
    await expectKilled(apply('unacknowledged', changed('unacknowledged', FIELDS)));
    expect(steps).to.not.include('write entries');
    expect(await entryOf('unacknowledged')).to.equal(undefined);
  });

  it('follow the listing into the feed, through each change and out of it', async () => {
    const sequences: number[] = [];
    const expectEntry = async (state: string, revision: number) => {
      const found = await entryOf('a');
      expect(found).to.include({ state, version: revision });
      sequences.push(found?.sequence as number);
    };
    await apply('a', changed('a', { title: 'Casa' }));
    await apply('a', changed('a', { price: 2 }));
    expect(await entryOf('a'), 'the listing was never in the feed').to.equal(undefined);
    await apply('a', changed('a', FIELDS));
    await expectEntry('updated', 3);
    await apply('a', changed('a', { price: 3 }));
    await expectEntry('updated', 4);
    await apply('a', changed('a', { title: '' }));
    await expectEntry('deleted', 5);
    await apply('a', changed('a', { title: 'Casa' }));
    await expectEntry('updated', 6);
    await apply('a', removed('a'));
    await expectEntry('deleted', 7);
    expect(sequences).to.deep.equal([...new Set(sequences)].sort((one, other) => one - other));
  });

  it('do not change if an event leaves the item as it is', async () => {
    const all = [changed('same', FIELDS)];
    await apply('same', ...all);
    const { sequence } = (await entryOf('same')) as { sequence: number };
    now += HOUR;
    // The first call repeats events, and the next two send the same content with a new version.
    await apply('same', ...all);
    await apply('same', changed('same', FIELDS));
    await apply('same', changed('same', FIELDS));
    expect(await entryOf('same')).to.include({ sequence, version: 1 });
    expect((await itemOf('same'))._version).to.equal(1);
    await apply('same', changed('same', { price: 2 }));
    expect(await entryOf('same')).to.include({ state: 'updated', version: 5 });
  });

  it('are written again while the last one may not be on every copy', async () => {
    const all = [changed('young', FIELDS)];
    await apply('young', ...all);
    now += 59_000;
    await apply('young', ...all);
    expect(await entryOf('young')).to.include({ version: 2 });
  });

  it('are completed by the redelivery after a kill before the entry', async () => {
    const first = changed('killed', FIELDS);
    await apply('killed', first);
    now += HOUR;
    const second = changed('killed', { price: 2 });
    killAt('write entries');
    await expectKilled(apply('killed', second));
    expect(await entryOf('killed')).to.include({ version: 1 });
    now += HOUR;
    await apply('killed', second);
    expect(await entryOf('killed')).to.include({ state: 'updated', version: 3 });
  });

  it('are completed by the redelivery after a kill before the item', async () => {
    await apply('early', changed('early', FIELDS));
    now += HOUR;
    const second = changed('early', { price: 2 });
    killAt('write items');
    await expectKilled(apply('early', second));
    now += HOUR;
    await apply('early', second);
    expect(await entryOf('early')).to.include({ state: 'updated', version: 3 });
    expect((await itemOf('early'))._version).to.equal(3);
  });

  it('are completed after two kills with different content', async () => {
    await apply('twice', changed('twice', FIELDS));
    now += HOUR;
    const up = changed('twice', { price: 2 });
    const back = changed('twice', { price: 1 });
    killAt('write entries');
    await expectKilled(apply('twice', up));
    killAt('write entries');
    await expectKilled(apply('twice', up, back));
    now += HOUR;
    await apply('twice', up, back);
    expect(await entryOf('twice')).to.include({ state: 'updated', version: 4 });
  });

  it('and the items survive a late deletion by a writer that is gone', async () => {
    await apply('late', changed('late', FIELDS));
    now += HOUR;
    const gone = removed('late');
    const back = changed('late', FIELDS);
    killAt('write items');
    await expectKilled(apply('late', gone));
    killAt('write items');
    await expectKilled(apply('late', gone, back));
    // The stored state now yields the stored item, which is still the one from before the removal.
    now += 14 * 60_000;
    await apply('late', gone, back);
    const at = { index: names.items, id: 'late', version: 2, version_type: 'external_gte' as const };
    const late = await client.delete(at, { ignore: [409] });
    expect(late).to.have.property('error');
    expect((await itemOf('late')).found).to.equal(true);
  });

  it('do not repeat a removal that followers have already received', async () => {
    await apply('removed', changed('removed', FIELDS));
    const gone = removed('removed');
    await apply('removed', gone);
    const { sequence } = (await entryOf('removed')) as { sequence: number };
    now += HOUR;
    await apply('removed', gone);
    await apply('removed', changed('removed', { title: '' }));
    expect(await entryOf('removed')).to.include({ state: 'deleted', sequence, version: 2 });
    // An item that only a fault can leave behind is removed, and followers receive its removal.
    await client.index({ index: names.items, id: 'removed', document: {}, refresh: true });
    await apply('removed', gone);
    expect((await itemOf('removed')).found).to.equal(false);
    expect(await entryOf('removed')).to.include({ state: 'deleted', version: 5 });
  });

  it('do not change if events without effect follow a state of an earlier release, which has no notes', async () => {
    await apply('unnoted', changed('unnoted', FIELDS));
    const { _source } = await client.get<{ state: object }>({ index: names.states, id: 'unnoted' });
    const { changes: _, ...state } = (_source as { state: { changes?: object } }).state;
    await client.index({ index: names.states, id: 'unnoted', document: { state } });
    projection = createProjection();
    now += HOUR;
    const same = () => apply('unnoted', changed('unnoted', FIELDS));
    // The state has a newer version than the item, as if an item write were in progress.
    await same();
    const { sequence } = (await entryOf('unnoted')) as { sequence: number };
    expect((await itemOf('unnoted'))._version).to.equal(3);
    now += HOUR;
    for (let i = 0; i < 3; i++) await same();
    expect(await entryOf('unnoted')).to.include({ sequence, version: 3 });
  });

  it('report the removal of a listing that was in the feed without an entry, even after a second kill', async () => {
    const seen = changed('seen', FIELDS);
    const gone = removed('seen');
    killAt('write entries');
    await expectKilled(apply('seen', seen));
    expect((await itemOf('seen')).found).to.equal(true);
    for (const at of ['write states', 'write items', 'write entries'] as const) {
      killAt(at, 'after');
      await expectKilled(apply('seen', seen, gone));
    }
    await apply('seen', seen, gone);
    expect((await itemOf('seen')).found).to.equal(false);
    expect(await entryOf('seen')).to.include({ state: 'deleted' });
  });

  it('of a stale writer replace no newer entry', async () => {
    await apply('stale', changed('stale', FIELDS));
    const stale = createProjection();
    let isHeld = true;
    const held = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    proxy.hook = async (step, moment): Promise<Verdict> => {
      if (step === 'write entries' && moment === 'before' && isHeld) {
        isHeld = false;
        held.resolve();
        await released.promise;
      }
      return 'pass';
    };
    const late = stale.apply(new Map([['stale', [removed('stale')]]]));
    await held.promise;
    await apply('stale', changed('stale', { ...FIELDS, price: 7 }));
    const newer = await entryOf('stale');
    expect(newer).to.include({ state: 'updated' });
    released.resolve();
    await late;
    expect(await entryOf('stale')).to.deep.equal(newer);
  });

  it('are written by a repair, although no event changes anything', async () => {
    await apply('repair', changed('repair', FIELDS));
    now += HOUR;
    await apply('repair');
    expect(await entryOf('repair')).to.include({ state: 'updated', version: 2 });
  });

  it('report that a repair removed an item without a state', async () => {
    const { _source } = await client.get({ index: names.items, id: 'repair' });
    await client.index({
      index: names.items,
      id: 'forged',
      document: _source,
      version: 1,
      version_type: 'external',
    });
    await apply('forged');
    expect((await itemOf('forged')).found).to.equal(false);
    expect(await entryOf('forged')).to.include({ state: 'deleted', version: 1 });
  });

  it('are lost with their index, which stops the writes', async () => {
    const other = generationNames(prefix, 9);
    const lost = new Projection({
      client,
      generation: { ...names, changesWriter: other.changesWriter },
      rules: documentRules(versionsWith(RULES), RULES),
      changesMapping: CHANGES_MAPPING_VERSION,
    });
    const error = await lost
      .apply(new Map([['lost', [changed('lost', FIELDS)]]]))
      .catch((one: unknown) => one);
    expect(error).to.have.property('name', 'ElasticsearchUnavailableError');
    expect(await client.indices.exists({ index: other.changesWriter })).to.equal(false);
    expect(error).to.not.be.instanceOf(errors.ResponseError);
  });
});

describe('a projector whose entries cannot be written', () => {
  let deployment: Deployment;
  let proxy: FaultProxy;

  before(async () => {
    deployment = await createDeployment('changes-commit', 1);
    proxy = await startFaultProxy(deployment.env.ELASTICSEARCH_URL as string);
  });
  after(async () => {
    await proxy.close();
    await deployment.close();
  });

  it('commits nothing until they are written', async () => {
    let attempts = 0;
    let isBroken = true;
    proxy.hook = (step, moment) => {
      if (step !== 'write entries' || moment !== 'before') return 'pass';
      attempts++;
      return isBroken ? 'cut' : 'pass';
    };
    const projector = await runProjector(deployment, { ELASTICSEARCH_URL: proxy.url });
    try {
      await deployment.publish([new MarketEvents().snapshot(1)]);
      await eventually('three attempts', async () => attempts > 2);
      const [group] = await deployment.admin.fetchOffsets({
        groupId: deployment.groupId,
        topics: [deployment.topic],
      });
      expect(Number(group?.partitions[0]?.offset)).to.be.lessThan(1);
      isBroken = false;
      await deployment.caughtUp();
      const [entry] = await entriesOf(deployment.client, generationNames(deployment.prefix, 1).changes);
      expect(entry).to.include({ id: MarketEvents.idOf(1), state: 'updated' });
    } finally {
      await projector.stop();
    }
  });
});
