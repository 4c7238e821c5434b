import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Generation, generationNames, type ItemDocument } from '@vitrine/feed-index';
import { MarketEvents, workload } from '@vitrine/fixtures';
import { RULES, type Rules } from '@vitrine/listing';
import { countListings } from '@vitrine/projection/generations';
import { expect } from 'chai';
import { buildersOf, createDeployment, type Deployment, registryOf } from '../support/deployment.ts';
import { modelOf } from '../support/expected-contents.ts';
import { startFaultProxy, type Verdict } from '../support/fault-proxy.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';
import { eventually } from '../support/service-process.ts';

/** The next version of the rules, which hides listings that cost more than R$ 900. */
const STRICTER: Rules = {
  version: RULES.version + 1,
  derive: (id, state) => {
    const derived = RULES.derive(id, state);
    return derived.item && derived.item.feed_item.price > 900 ? { hidden: 'price' } : derived;
  },
};

/**
 * The deployment behind a proxy that holds all writes of states after the first `passing` ones. `release`
 * decides what happens to them. `held` resolves when the proxy holds the first one.
 */
const holdingStates = async (deployment: Deployment, passing = 0) => {
  const proxy = await startFaultProxy(deployment.env.ELASTICSEARCH_URL as string);
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<Verdict>()];
  let writes = 0;
  proxy.hook = (step, moment) => {
    if (step !== 'write states' || moment !== 'before' || ++writes <= passing) return 'pass';
    held.resolve();
    return released.promise;
  };
  return {
    through: { ...deployment, env: { ...deployment.env, ELASTICSEARCH_URL: proxy.url } },
    held: held.promise,
    release: released.resolve,
    close: proxy.close,
  };
};

const expectItems = (items: Map<string, ItemDocument>, expected: Map<string, ItemDocument>) => {
  expect([...items.keys()].sort()).to.deep.equal([...expected.keys()].sort());
  for (const [id, item] of items) expect(item, id).to.deep.equal(expected.get(id));
};

describe('replay', () => {
  let deployment: Deployment;
  let projector: RunningProjector;
  const records = workload({ seed: 91, listings: 300, events: 4_000, raised: 0.02 });
  const model = modelOf(records);

  before(async () => {
    deployment = await createDeployment('replay', 3);
    projector = await runProjector(deployment);
    await deployment.publish(records);
    await deployment.caughtUp();
  });
  after(async () => {
    await projector.stop();
    await deployment.close();
  });

  const hiddenListings = async (generation: Generation) => {
    await deployment.client.indices.refresh({ index: generation.states });
    return (await countListings(deployment.client, generation)).hidden;
  };
  /** All indices except the changes indices, which outlive their generations. */
  const indices = async () =>
    Object.keys(await deployment.client.indices.get({ index: `${deployment.prefix}-*` }))
      .filter((name) => !name.includes('-changes-'))
      .sort();
  const named = (...names: string[]) => names.map((name) => `${deployment.prefix}-${name}`);
  const groups = async () =>
    (await deployment.admin.listGroups()).filter((groupId) => groupId.startsWith(`${deployment.prefix}-`));
  const liveIndex = async () =>
    Object.keys(await deployment.client.indices.getAlias({ name: `${deployment.prefix}-items` }));

  it('from the topic builds a generation equal to the live one, without repeated dead letters', async () => {
    const deadLetters = await deployment.deadLetterCount();
    const replayed = await cli(deployment, ['replay']);
    expect(replayed.code, replayed.output).to.equal(0);
    expect(replayed.json).to.deep.equal({ generation: 2, hasProjector: true });
    for (const phase of ['folding', 'deriving', 'following'])
      expect(replayed.output).to.match(new RegExp(`${phase} {2}100 %`));
    expectItems(await deployment.items(2), model.items);
    const hidden = (number: number) => hiddenListings(generationNames(deployment.prefix, number));
    expect(await hidden(2))
      .to.deep.equal(await hidden(1))
      .and.include.keys('removed');
    expect(await liveIndex()).to.deep.equal(named('items-1'));
    expect(await deployment.deadLetterCount()).to.equal(deadLetters);
    const log = await deployment.admin.fetchTopicOffsets(deployment.topic);
    const built = (await registryOf(deployment)).generations[1];
    expect(built?.first_start?.low).to.deep.equal(
      Object.fromEntries(log.map(({ partition, low }) => [partition, low])),
    );
  });

  it('builds a generation that the projector then updates beside the live one', async () => {
    const more = new MarketEvents();
    await deployment.publish([1, 2, 3].map((listing) => more.snapshot(listing)));
    await Promise.all([deployment.caughtUp(), deployment.caughtUp(90_000, 2)]);
    const expected = modelOf([...records, ...more.sent]).items;
    expectItems(await deployment.items(1), expected);
    expectItems(await deployment.items(2), expected);
    records.push(...more.sent);
  });

  it('is followed by a switch, which needs a verification result, is atomic, and can be rolled back', async () => {
    const early = await cli(deployment, ['switch']);
    expect(early.code).to.equal(3);
    expect(early.output).to.include('generation 2 has no verification result. Run verify 2');
    const report = join(tmpdir(), `${deployment.prefix}.json`);
    const unwritable = await cli(deployment, ['verify', '--report', join(report, 'no-folder')]);
    expect(unwritable.code, unwritable.output).to.equal(1);
    expect((await cli(deployment, ['switch'])).output, 'nothing was compared').to.include(
      'no verification result',
    );
    const verified = await cli(deployment, ['verify', '--report', report]);
    expect(verified.code, verified.output).to.equal(0);
    const items = modelOf(records).items.size;
    expect(verified.json).to.deep.include({
      live: 1,
      generation: 2,
      liveItems: items,
      items,
      differences: [],
    });
    expect(JSON.parse(await readFile(report, 'utf8'))).to.deep.equal(verified.json);
    await rm(report);

    const switched = await cli(deployment, ['switch', '2']);
    expect(switched.code, switched.output).to.equal(0);
    expect(switched.json).to.deep.equal({ from: 1, to: 2 });
    expect(await liveIndex()).to.deep.equal(named('items-2'));
    expect(
      Object.keys(await deployment.client.indices.getAlias({ name: `${deployment.prefix}-states` })),
    ).to.deep.equal(named('states-2'));

    expect((await cli(deployment, ['rollback'])).json).to.deep.equal({ from: 2, to: 1 });
    expect(await liveIndex()).to.deep.equal(named('items-1'));
    // If it is repeated with the number, the command changes nothing. Without the number, it returns to
    // generation 2.
    expect((await cli(deployment, ['rollback', '1'])).json).to.deep.equal({ to: 1 });
    expect(await liveIndex()).to.deep.equal(named('items-1'));
    expect((await cli(deployment, ['rollback'])).json).to.deep.equal({ from: 1, to: 2 });
  });

  it('keeps the previous generation until prune deletes all of it', async () => {
    const live = await cli(deployment, ['prune', '2']);
    expect(live.code).to.equal(3);
    expect(live.output).to.include('generation 2 is live');
    expect((await cli(deployment, ['prune'])).json).to.deep.equal({ pruned: [1] });
    expect(await indices()).to.deep.equal(named('generations', 'items-2', 'states-2'));
    expect(await groups()).to.deep.equal(named('group-2'));
    const gone = await cli(deployment, ['rollback']);
    expect(gone.code).to.equal(3);
    expect(gone.output).to.include('no previous generation');
    expect((await cli(deployment, ['prune'])).json).to.deep.equal({ pruned: [] });
    expect(await projector.reasons()).to.deep.equal([]);
  });

  it('from the states gives the same result, including events published while it copies', async () => {
    const proxy = await startFaultProxy(deployment.env.ELASTICSEARCH_URL as string);
    const more = new MarketEvents();
    let published: Promise<void> | undefined;
    proxy.hook = async (step, moment): Promise<Verdict> => {
      if (step !== 'write states' || moment !== 'before') return 'pass';
      // The builder has read the states but has written none of its pages yet.
      published ??= deployment
        .publish([more.removed(1), more.snapshot(2), more.changed(4, { title: 'x' })])
        .then(() => deployment.caughtUp(90_000, 2));
      await published;
      return 'pass';
    };
    const through = { ...deployment, env: { ...deployment.env, ELASTICSEARCH_URL: proxy.url } };
    const replayed = await cli(through, ['replay', '--from', 'states']);
    await proxy.close();
    expect(replayed.code, replayed.output).to.equal(0);
    expect(replayed.json).to.deep.equal({ generation: 3, hasProjector: true });
    records.push(...more.sent);
    expect(more.sent, 'events published during the replay').to.have.lengthOf(3);
    expectItems(await deployment.items(3), modelOf(records).items);
    expect((await cli(deployment, ['verify'])).json).to.deep.include({ generation: 3, differences: [] });
  });

  it('is verified: modified, missing and extra items block the switch until a repair', async () => {
    const { items } = generationNames(deployment.prefix, 3);
    const [tampered, missing] = [...(await deployment.items(3)).values()] as [ItemDocument, ItemDocument];
    const feed_item = { ...tampered.feed_item, title: 'Grátis' };
    await deployment.client.index({ index: items, id: tampered.id, document: { ...tampered, feed_item } });
    await deployment.client.delete({ index: items, id: missing.id });
    await deployment.client.index({ index: items, id: 'forged', document: { ...tampered, id: 'forged' } });
    const verified = await cli(deployment, ['verify', '3']);
    expect(verified.code).to.equal(3);
    const unexplained = { explained: false, reason: { code: 'new-item-differs' } };
    expect(sortedById(verified.json.differences)).to.deep.equal(
      sortedById([
        {
          id: tampered.id,
          kind: 'content',
          members: ['feed_item.title'],
          values: { 'feed_item.title': { live: tampered.feed_item.title, new: 'Grátis' } },
          ...unexplained,
        },
        { id: missing.id, kind: 'only-live', ...unexplained },
        { id: 'forged', kind: 'only-new', hidden: 'removed', ...unexplained },
      ]),
    );
    for (const flags of [[], ['--allow-explained'], ['--allow-diff', '2']])
      expect((await cli(deployment, ['switch', '3', ...flags])).code).to.equal(3);
    expect(await liveIndex()).to.deep.equal(named('items-2'));

    const looked = await cli(deployment, ['verify', '3', '--self', '--dry-run']);
    expect(looked.code).to.equal(3);
    expect(sortedById(looked.json.disagreements)).to.deep.equal(
      sortedById([
        { id: tampered.id, kind: 'content', repaired: false },
        { id: missing.id, kind: 'missing', repaired: false },
        { id: 'forged', kind: 'without-state', repaired: false },
      ]),
    );
    const repaired = await cli(deployment, ['verify', '3', '--self']);
    expect(repaired.code, repaired.stdout).to.equal(0);
    expect((repaired.json.disagreements as { repaired: boolean }[]).map((one) => one.repaired)).to.deep.equal(
      [true, true, true],
    );
    expect((await cli(deployment, ['verify', '3', '--self'])).json).to.deep.include({ disagreements: [] });
    expect((await cli(deployment, ['verify', '3'])).code).to.equal(0);
  });

  it('with new rules reports exactly the listings that they hide, and switches only if these are allowed', async () => {
    // A projector writes only the generations that were built with its own rules.
    const next = await runProjector(deployment, {}, { rules: STRICTER });
    try {
      expect((await next.reasons()).join()).to.match(
        new RegExp(
          `generation 2 was built with .* rules ${RULES.version}, but this projector has .* rules ` +
            `${STRICTER.version}. Keep the other projector running, and replay with this version`,
        ),
      );
      const replayed = await cli(deployment, ['replay', '--from', 'states'], { rules: STRICTER });
      expect(replayed.code, replayed.output).to.equal(0);
      expect(replayed.json).to.deep.equal({ generation: 4, hasProjector: true });
      await deployment.caughtUp(90_000, 4);
      const expensive = [...modelOf(records).items.values()]
        .filter((item) => item.feed_item.price > 900)
        .map(({ id }) => id);
      expect(expensive.length).to.be.above(10);
      const verified = await cli(deployment, ['verify', '4'], { rules: STRICTER });
      expect(verified.code).to.equal(3);
      const reason = { code: 'rules-changed', before: RULES.version, rules: STRICTER.version };
      expect(sortedById(verified.json.differences)).to.deep.equal(
        sortedById(
          expensive.map((id) => ({ id, kind: 'only-live', hidden: 'price', explained: true, reason })),
        ),
      );
      const refused = await cli(deployment, ['switch', '4'], { rules: STRICTER });
      expect(refused.code).to.equal(3);
      expect(refused.output).to.include(`differs from generation 2 in ${expensive.length} of`);
      expect(await liveIndex()).to.deep.equal(named('items-2'));
      const switched = await cli(deployment, ['switch', '4', '--allow-explained'], { rules: STRICTER });
      expect(switched.code, switched.output).to.equal(0);
      expect((await deployment.items()).size).to.equal(modelOf(records).items.size - expensive.length);
      expect((await cli(deployment, ['rollback'])).json).to.deep.equal({ from: 4, to: 2 });
    } finally {
      await next.stop();
    }
    expect((await cli(deployment, ['prune'])).json).to.deep.equal({ pruned: [3, 4] });
  });

  it('refuses to run twice, and can be resumed or cancelled after an interruption', async () => {
    const interrupt = new AbortController();
    const first = await holdingStates(deployment);
    const slow = cli(first.through, ['replay'], { signal: interrupt.signal });
    await eventually('the replay has created its indices', async () =>
      (await indices()).includes(`${deployment.prefix}-items-5`),
    );
    const second = await cli(deployment, ['replay']);
    expect(second.code).to.equal(3);
    expect(second.output).to.match(/a replay of generation 5 is running in process \d+ on/);
    expect((await cli(deployment, ['replay', 'resume'])).output).to.match(
      /process \d+ on .* is building generation 5/,
    );
    interrupt.abort();
    first.release('cut');
    expect(await slow).to.deep.include({ code: 130 });
    await first.close();
    expect((await cli(deployment, ['replay'])).output).to.include(
      'generation 5 is unfinished. Run replay resume 5 or replay cancel 5',
    );
    for (const command of [
      ['verify', '5'],
      ['switch', '5'],
      ['prune', '5'],
    ])
      expect((await cli(deployment, command)).code, String(command)).to.equal(3);

    const resumed = await holdingStates(deployment);
    const again = cli(resumed.through, ['replay', 'resume']);
    await eventually(
      'the resumed replay has a builder',
      async () => (await buildersOf(deployment)).length > 0,
    );
    const complete = await cli(deployment, ['replay', 'cancel', '2']);
    expect(complete.code, complete.output).to.equal(3);
    expect(complete.output).to.include('generation 2 is not under construction');
    expect((await cli(deployment, ['replay', 'cancel', '5'])).json).to.deep.equal({ cancelled: 5 });
    resumed.release('cut');
    expect((await again).output).to.include('generation 5 was cancelled');
    await resumed.close();
    expect(await indices()).to.deep.equal(named('generations', 'items-2', 'states-2'));
    expect(await groups()).to.deep.equal(named('group-2'));
    expect((await cli(deployment, ['replay', 'cancel'])).output).to.include('no unfinished generation');
  });

  it('respects its rate limit', async () => {
    const started = Date.now();
    const ends = await deployment.admin.fetchTopicOffsets(deployment.topic);
    const count = ends.reduce((sum, { high }) => sum + Number(high), 0);
    expect((await cli(deployment, ['replay', '--rate', '1500'])).code).to.equal(0);
    // The rate limit admits the first chunk of each partition immediately.
    expect(Date.now() - started).to.be.above(((count * 0.4) / 1_500) * 1_000);
    expect((await cli(deployment, ['verify'])).code).to.equal(0);
    await cli(deployment, ['prune']);
  });

  it('refuses a compacted topic', async () => {
    const cleanup = (value: string) =>
      deployment.admin.setTopicSettings(deployment.topic, { 'cleanup.policy': value });
    await cleanup('compact');
    const refused = await cli(deployment, ['replay']);
    expect(refused.code).to.equal(3);
    expect(refused.output).to.match(
      /is compacted, so Kafka may have deleted partial events\. Use replay --from states/,
    );
    await cleanup('delete');
  });

  it('refuses a topic whose beginning was deleted, unless the operator allows it', async () => {
    await deployment.admin.deleteTopicRecords({
      topic: deployment.topic,
      partitions: [{ partition: 0, offset: '100' }],
    });
    const refused = await cli(deployment, ['replay']);
    expect(refused.code).to.equal(3);
    expect(refused.output).to.match(/Kafka deleted the beginning of .* \(partition 0 begins at offset 100\)/);
    expect(await indices()).to.deep.equal(named('generations', 'items-2', 'states-2'));
    const states = await cli(deployment, ['replay', '--from', 'states']);
    expect(states.code, states.output).to.equal(0);
    expect((await cli(deployment, ['verify'])).code).to.equal(0);
    const told = await cli(deployment, ['replay', '--incomplete-log']);
    expect(told.code, told.output).to.equal(0);
    const verified = await cli(deployment, ['verify']);
    expect(verified.code).to.equal(3);
    expect((verified.json.verification as { unexplained: number }).unexplained).to.be.above(0);
    await cli(deployment, ['prune']);
  });

  it('restores the feed after its indices were lost', async () => {
    await deployment.client.indices.delete({ index: named('items-2', 'states-2') });
    const replayed = await cli(deployment, ['replay', '--incomplete-log']);
    expect(replayed.code, replayed.output).to.equal(0);
    const { generation } = replayed.json;
    const switched = await cli(deployment, ['switch']);
    expect(switched.json, switched.output).to.deep.equal({ to: generation });
    expect(await liveIndex()).to.deep.equal(named(`items-${generation}`));
    expect((await deployment.items()).size).to.be.above(100);
    expect((await cli(deployment, ['prune'])).json).to.deep.equal({ pruned: [2] });
    await eventually('ready', async () => (await projector.reasons()).length === 0);
  });

  it('restores the states after only these were lost, while readers see the items', async () => {
    const [live = ''] = await liveIndex();
    const lost = Number(live.split('-').at(-1));
    await deployment.client.indices.delete({ index: named(`states-${lost}`) });
    const replayed = await cli(deployment, ['replay', '--incomplete-log']);
    expect(replayed.code, replayed.output).to.equal(0);
    const { generation } = replayed.json;
    const verified = await cli(deployment, ['verify']);
    expect(verified.output).to.contain(`the states of generation ${lost} are lost`);
    const switched = await cli(deployment, ['switch']);
    expect(switched.json, switched.output).to.deep.equal({ from: lost, to: generation });
    // Without its states, the generation cannot return.
    const rolledBack = await cli(deployment, ['rollback']);
    expect(rolledBack.output).to.contain(`states-${lost} of generation ${lost} is missing`);
    expect(await liveIndex()).to.deep.equal(named(`items-${generation}`));
    expect((await cli(deployment, ['prune'])).json).to.deep.equal({ pruned: [lost] });
    await eventually('ready', async () => (await projector.reasons()).length === 0);
  });
});

describe('replay from the states while listings change that the replay has not read yet', () => {
  const LISTINGS = 8_000;
  const market = new MarketEvents();

  it('keeps the earlier fields of these listings', async () => {
    const deployment = await createDeployment('replay-states', 3);
    const projector = await runProjector(deployment);
    const replay = await holdingStates(deployment, 1);
    try {
      await deployment.publish(Array.from({ length: LISTINGS }, (_, listing) => market.snapshot(listing)));
      await deployment.caughtUp();
      const replaying = cli(replay.through, ['replay', '--from', 'states']);
      await replay.held;
      // The scan reads these listings last. Each event changes one field, so only the old states contain the
      // other fields.
      await deployment.publish(
        Array.from({ length: 800 }, (_, i) => market.changed(LISTINGS - 1 - i, { title: `Casa nova ${i}` })),
      );
      await deployment.caughtUp();
      await deployment.client.indices.refresh({ index: generationNames(deployment.prefix, 1).states });
      expect((await registryOf(deployment)).generations.at(-1)?.phase, 'phase after the changes').to.equal(
        'copying',
      );
      replay.release('pass');
      const replayed = await replaying;
      expect(replayed.code, replayed.output).to.equal(0);
      await deployment.caughtUp(90_000, 2);
      const verified = await cli(deployment, ['verify']);
      expect(verified.json).to.deep.include({ differences: [] });
      expectItems(await deployment.items(2), modelOf(market.sent).items);
    } finally {
      await projector.stop();
      await replay.close();
      await deployment.close();
    }
  });
});

const sortedById = (list: unknown): unknown[] =>
  (list as { id: string }[]).toSorted((a, b) => (a.id < b.id ? -1 : 1));
