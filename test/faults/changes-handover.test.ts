import { changesHistoryIndex, generationNames } from '@vitrine/feed-index';
import { MarketEvents } from '@vitrine/fixtures';
import { readChangesHistory, readLiveChanges, updateChangesHistory } from '@vitrine/projection/generations';
import { touchEntries } from '@vitrine/projection/store';
import { expect } from 'chai';
import { entriesOf } from '../support/changes-index.ts';
import { createDeployment, type Deployment, registryOf } from '../support/deployment.ts';
import { type FaultProxy, startFaultProxy, type Verdict } from '../support/fault-proxy.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';
import { IndexFollower } from '../support/index-follower.ts';
import { eventually } from '../support/service-process.ts';
import { STRICTER } from '../support/stricter-rules.ts';

const LISTINGS = 120;
const idOf = MarketEvents.idOf;

describe('followers of the changes', () => {
  let deployment: Deployment;
  let projector: RunningProjector;
  let stricter: RunningProjector;
  const market = new MarketEvents();
  const createFollower = () => new IndexFollower(deployment.client, deployment.prefix);
  const command = async (...args: string[]) => {
    const { code, output, json } = await cli(deployment, args, { rules: STRICTER });
    expect(code, `${args.join(' ')}: ${output}`).to.be.oneOf([0, 3]);
    return json;
  };
  /** Publishes events and waits until these generations have them. */
  const publish = async (events: ReturnType<MarketEvents['snapshot']>[], ...generations: number[]) => {
    await deployment.publish(events);
    for (const generation of generations) await deployment.caughtUp(undefined, generation);
  };
  const priced = (listing: number, price: number) => market.changed(listing, { price });
  const expectFeed = async (follower: IndexFollower, what: string) => {
    const live = await readLiveChanges(deployment.client, deployment.prefix);
    const items = await deployment.items(live?.generation);
    const expected = new Map([...items].map(([id, item]) => [id, JSON.stringify(item)]));
    expect([...follower.items].sort(), what).to.deep.equal([...expected].sort());
  };

  let current: IndexFollower;
  let half: IndexFollower;
  let removedBefore: IndexFollower;
  let behind: IndexFollower;
  const handoverTo = async () =>
    (await readChangesHistory(deployment.client, deployment.prefix)).transitions.at(-1)?.handover?.to ?? -1;

  before(async () => {
    deployment = await createDeployment('changes-handover', 2);
    projector = await runProjector(deployment);
    const all = Array.from({ length: LISTINGS }, (_, listing) => market.snapshot(listing + 1));
    await publish([...all, ...Array.from({ length: 20 }, (_, i) => priced(i + 1, 791 + i * 10))], 1);
    await publish([market.removed(50), market.removed(51)], 1);
  });
  after(async () => {
    await stricter?.stop();
    await projector.stop();
    await deployment.close();
  });

  it('hold the feed after reading from the beginning', async () => {
    current = createFollower();
    await current.follow(37);
    await expectFeed(current, 'from the beginning');
    half = createFollower();
    await half.page(40);
    removedBefore = createFollower();
    await removedBefore.page(1);
  });

  it('also receive the removals before a rebuild from the new generation, and no listing that was never in the feed', async () => {
    await publish([market.snapshot(200), priced(200, 0), market.removed(52)], 1);
    stricter = await runProjector(deployment, {}, { rules: STRICTER });
    await command('replay');
    const found = await entriesOf(deployment.client, generationNames(deployment.prefix, 2).changes);
    const deleted = found.filter(({ state }) => state === 'deleted').map(({ id }) => id);
    expect(deleted.sort()).to.include.members([idOf(50), idOf(51), idOf(52)]);
    // Every seventh listing has no price, so it was never in the feed.
    expect(found.map(({ id }) => id)).to.not.include(idOf(70));
    const items = await deployment.items(2);
    expect(found.filter(({ state }) => state === 'updated').map(({ id }) => id)).to.have.members([
      ...items.keys(),
    ]);
    expect((await registryOf(deployment)).generations.at(-1)?.caught_up?.checkpoint).to.be.a('number');
  });

  it('receive exactly the items that differ after a switch with changed rules', async () => {
    await current.follow();
    await command('verify');
    // Both generations process these events after the verification: each yields another difference.
    behind = createFollower();
    await behind.follow();
    await publish([priced(40, 321)], 1, 2);
    await publish([market.snapshot(201), priced(201, 850), market.snapshot(202), priced(202, 950)], 1, 2);
    // The test makes the entries look as if the event had been an hour ago, so that the next unchanged event
    // writes no entry.
    const { client, prefix } = deployment;
    for (const { changes } of [1, 2].map((number) => generationNames(prefix, number))) {
      const { _version } = await client.get({ index: changes, id: idOf(40) });
      await client.index({
        index: changes,
        id: idOf(40),
        document: { state: 'updated', at: Date.now() - 3_600_000 },
        version: _version as number,
        version_type: 'external_gte',
      });
    }
    await publish([priced(30, 870), priced(31, 930), priced(1, 500), priced(32, 400)], 1, 2);
    await current.follow();
    const before = current.received.length;
    await command('switch', '--allow-explained', '--allow-diff', '100');
    expect(await readLiveChanges(deployment.client, deployment.prefix)).to.deep.equal({
      epoch: 2,
      generation: 2,
    });
    await current.follow();
    await expectFeed(current, 'after the switch');
    const received = new Set(current.received.slice(before));
    const { transitions } = await readChangesHistory(deployment.client, deployment.prefix);
    expect(transitions).to.have.length(1);
    const differing = [...(await deployment.items(1)).values()]
      .filter(({ feed_item }) => feed_item.price > 800)
      .map(({ id }) => id);
    expect([...received].sort()).to.deep.equal(differing.sort());
    await half.follow(13);
    await expectFeed(half, 'a follower that was in the middle of the old generation');
  });

  it('miss nothing if an entry moves behind the mark in the old generation only', async () => {
    const { client, prefix } = deployment;
    const [old, live] = [generationNames(prefix, 1), generationNames(prefix, 2)];
    expect(JSON.parse(behind.items.get(idOf(40)) as string).feed_item.price).to.equal(140);
    // The new rules ignore ratings, so the new generation writes neither item nor entry.
    const entry = (await entriesOf(client, live.changes)).find(({ id }) => id === idOf(40));
    expect(entry?.sequence).to.be.at.most(await handoverTo());
    await publish([market.changed(40, { rating: 4 })], 1, 2);
    const { handover } = (await readChangesHistory(client, prefix)).transitions[0] ?? {};
    const moved = (await entriesOf(client, old.changes)).find(({ id }) => id === idOf(40));
    expect(moved?.sequence).to.be.greaterThan(handover?.from as number);
    await behind.follow();
    await expectFeed(behind, 'a follower that was behind');
    await current.follow();
  });

  it('receive the items that differ after a rollback', async () => {
    await publish([priced(33, 850), priced(34, 950), priced(2, 100), market.removed(35)], 1, 2);
    await current.follow();
    await expectFeed(current, 'before the rollback');
    const before = current.received.length;
    await command('rollback');
    expect(await readLiveChanges(deployment.client, deployment.prefix)).to.deep.equal({
      epoch: 3,
      generation: 1,
    });
    await current.follow();
    await expectFeed(current, 'after the rollback');
    expect(new Set(current.received.slice(before)).size).to.be.lessThan(60);
    await half.follow();
    await expectFeed(half, 'the other follower after the rollback');
  });

  it('receive the items that begin to differ during a switch', async () => {
    await command('verify', '2');
    const { client, prefix, env } = deployment;
    const changes = generationNames(prefix, 2).changes;
    const listings = [100, 101, 102, 103, 104];
    const pending = [...listings];
    const proxy = await startFaultProxy(env.ELASTICSEARCH_URL as string);
    let work = Promise.resolve();
    const differ = async () => {
      const listing = pending.shift();
      if (listing === undefined) return;
      await publish([priced(listing, 850)], 1, 2);
      await current.follow();
    };
    // Before each read of the checkpoint, another listing begins to differ, and the follower passes its entry.
    // A client that has waited for too long repeats its read, but the follower reads one page at a time.
    proxy.hook = async (_, moment, { path }): Promise<Verdict> => {
      if (moment === 'before' && path.includes(`${changes}/_stats`)) {
        work = work.then(differ);
        await work;
      }
      return 'pass';
    };
    const proxied = { ...deployment, env: { ...env, ELASTICSEARCH_URL: proxy.url } };
    const options = ['--allow-explained', '--allow-diff', '100'];
    const { code, output } = await cli(proxied, ['switch', '2', ...options], { rules: STRICTER });
    await proxy.close();
    expect(code, output).to.be.oneOf([0, 3]);
    expect(pending.length, 'listings that have not changed').to.be.below(listings.length - 1);
    expect((await readLiveChanges(client, prefix))?.generation).to.equal(2);
    await current.follow();
    await expectFeed(current, 'after the switch');
  });

  it('continue after a prune with the changes that it keeps', async () => {
    await current.follow();
    await publish([priced(36, 100), market.removed(37)], 1, 2);
    await command('prune', '1');
    const { client, prefix } = deployment;
    const names = generationNames(prefix, 1);
    expect(await client.indices.exists({ index: names.items })).to.equal(false);
    expect(await client.indices.exists({ index: names.changes })).to.equal(true);
    expect(await client.indices.existsAlias({ name: names.changesWriter })).to.equal(false);
    const { kept } = await readChangesHistory(client, prefix);
    const days = (Date.parse(kept[0]?.until ?? '') - Date.now()) / 86_400_000;
    expect(days).to.be.within(6.9, 7);
    await current.follow();
    await expectFeed(current, 'after the prune');
    await removedBefore.follow(29);
    await expectFeed(removedBefore, 'a follower in the pruned generation');
  });

  it('have to start over only after the changes of a pruned generation have expired', async () => {
    const late = createFollower();
    const { client, prefix } = deployment;
    // The position of a follower that has read one entry from the first epoch.
    late.position = 2 ** 40;
    await late.page(1);
    await command('prune');
    await late.page(1);
    await updateChangesHistory(client, prefix, (now) => ({
      ...now,
      kept: now.kept.map((one) => ({ ...one, until: new Date(Date.now() - 1).toISOString() })),
    }));
    await command('prune');
    expect((await readChangesHistory(client, prefix)).kept).to.deep.equal([]);
    expect(await client.indices.exists({ index: generationNames(prefix, 1).changes })).to.equal(false);
    const error = await late.page(1).catch((raised: Error) => raised);
    expect(String(error)).to.include('index_not_found_exception');
    await current.follow();
    await expectFeed(current, 'a follower that is up to date');
    expect(await client.indices.exists({ index: changesHistoryIndex(prefix) })).to.equal(true);
  });
});

describe('a switch while the live generation is late', () => {
  let deployment: Deployment;
  let proxy: FaultProxy;
  let projector: RunningProjector;
  const market = new MarketEvents();

  before(async () => {
    deployment = await createDeployment('changes-marks', 1);
    proxy = await startFaultProxy(deployment.env.ELASTICSEARCH_URL as string);
    projector = await runProjector(deployment, { ELASTICSEARCH_URL: proxy.url });
    await deployment.publish([1, 2, 3, 4].map((listing) => market.snapshot(listing)));
    await deployment.caughtUp();
  });
  after(async () => {
    await projector.stop();
    await proxy.close();
    await deployment.close();
  });

  it('hands followers over without a gap, although entries are late in one generation', async () => {
    const { client, prefix } = deployment;
    const follower = new IndexFollower(client, prefix);
    expect((await cli(deployment, ['replay'])).code).to.equal(0);
    expect((await cli(deployment, ['verify'])).code).to.equal(0);
    await follower.follow();
    /** The entries of these listings are late in generation 1. */
    const held = new Map([2, 3].map((listing) => [idOf(listing), Promise.withResolvers<void>()]));
    proxy.hook = async (step, moment, { body }): Promise<Verdict> => {
      const text = body.toString();
      if (step === 'write entries' && moment === 'before' && text.includes(`${prefix}-changes-1`))
        for (const [id, { promise }] of held) if (text.includes(id)) await promise;
      return 'pass';
    };
    const has = (listing: number, price: number) => async () => {
      const item = (await deployment.items(2)).get(idOf(listing));
      await client.indices.refresh({ index: generationNames(prefix, 2).items });
      return item?.feed_item.price === price;
    };
    await deployment.publish([market.changed(2, { price: 222 })]);
    await eventually('the event in generation 2', has(2, 222));
    const switching = cli(deployment, ['switch']);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    // This event comes after the ends of the topic that the switch has read.
    await deployment.publish([market.changed(3, { price: 333 })]);
    await eventually('the later event in generation 2', has(3, 333));
    // The switch waits for the entry. Without this wait, C1 would be below this entry, and C2 above it.
    expect((await readLiveChanges(client, prefix))?.epoch).to.equal(1);
    held.get(idOf(2))?.resolve();
    const { code, output } = await switching;
    expect(code, output).to.equal(0);
    await follower.follow();
    held.get(idOf(3))?.resolve();
    expect(JSON.parse(follower.items.get(idOf(2)) as string).feed_item.price).to.equal(222);
    expect(JSON.parse(follower.items.get(idOf(3)) as string).feed_item.price).to.equal(333);
    expect(follower.received.filter((id) => id === idOf(4))).to.have.length(1);
  });

  it('hands followers over without a gap, although an entry moves while the aliases move', async () => {
    const { client, prefix, env } = deployment;
    const follower = new IndexFollower(client, prefix);
    await follower.page(1);
    const [moved] = [1, 2, 3, 4].map(idOf).filter((id) => !follower.items.has(id));
    // A repair of the live generation moves an entry behind C1 before any process can know the new epoch.
    proxy.hook = async (_, moment, { path }): Promise<Verdict> => {
      if (moment === 'before' && path.startsWith('/_aliases'))
        await touchEntries(client, generationNames(prefix, 2), [moved as string]);
      return 'pass';
    };
    const proxied = { ...deployment, env: { ...env, ELASTICSEARCH_URL: proxy.url } };
    const { code, output } = await cli(proxied, ['rollback']);
    expect(code, output).to.equal(0);
    proxy.hook = () => 'pass';
    expect(await readLiveChanges(client, prefix)).to.deep.equal({ epoch: 3, generation: 1 });
    await follower.follow();
    expect([...follower.items.keys()].sort()).to.deep.equal([1, 2, 3, 4].map(idOf).sort());
  });
});
