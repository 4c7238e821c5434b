import { setTimeout as sleep } from 'node:timers/promises';
import { generationNames, registryIndex } from '@vitrine/feed-index';
import { MarketEvents } from '@vitrine/fixtures';
import { kafkaConnection, readTopicId, startConsumer } from '@vitrine/kafka';
import { createLog } from '@vitrine/runtime/log';
import { expect } from 'chai';
import { createDeployment, type Deployment, registryOf } from '../support/deployment.ts';
import { modelOf } from '../support/expected-contents.ts';
import { type FaultProxy, type ProxiedRequest, startFaultProxy } from '../support/fault-proxy.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';
import { eventually, type ServiceProcess, startService } from '../support/service-process.ts';

const LISTINGS = 50;
/** A time longer than a builder needs from the phase `deriving` to its slices. */
const NO_SLICE_FOR_MS = 3_000;

describe('between folding and deriving, no event is folded without an item', () => {
  let deployment: Deployment;
  let projector: RunningProjector;
  let market: MarketEvents;
  let ending: (() => Promise<unknown>)[];

  beforeEach(async () => {
    ending = [];
    market = new MarketEvents();
    deployment = await createDeployment('late-folding', 2);
    projector = await runProjector(deployment);
    // Each listing has several events, all in one partition, so a rebuild folds first and derives afterwards.
    for (const price of [100, 200, 300])
      await deployment.publish(
        Array.from({ length: LISTINGS }, (_, i) => ({
          ...(price === 100 ? market.snapshot(i) : market.changed(i, { price })),
          partition: 0,
        })),
      );
    await deployment.caughtUp();
    await deployment.client.indices.refresh({ index: generationNames(deployment.prefix, 1).states });
  });
  afterEach(async () => {
    for (const end of ending.reverse()) await end();
    await projector.stop();
    await deployment.close();
  });

  const building = async () => (await registryOf(deployment)).generations.find(({ number }) => number === 2);
  const builder = (proxy: FaultProxy | undefined, args: string[]): ServiceProcess => {
    const url = proxy ? { ELASTICSEARCH_URL: proxy.url } : {};
    const started = startService('cli', { ...deployment.env, ...url }, args);
    ending.push(() => started.end('SIGKILL'));
    return started;
  };
  const proxy = async (): Promise<FaultProxy> => {
    const started = await startFaultProxy(deployment.env.ELASTICSEARCH_URL as string);
    ending.push(() => started.close());
    return started;
  };
  const expectResult = async (first: ServiceProcess) => {
    expect(await first.exited, first.log()).to.equal(0);
    await deployment.caughtUp(undefined, 2);
    expect((await cli(deployment, ['verify', '2'])).code).to.equal(0);
    expect(await deployment.items(2)).to.deep.equal(modelOf(market.sent).items);
  };

  it('no slice exists while the group has a member', async () => {
    const guard = await proxy();
    const mayWrite = Promise.withResolvers<'pass'>();
    guard.hook = (step, moment) =>
      step === 'write states' && moment === 'before' ? mayWrite.promise : 'pass';
    const first = builder(guard, ['replay']);
    await eventually('generation 2 exists', building);
    const leave = await joinPartitionWithoutRecords(deployment);
    ending.push(() => leave());
    mayWrite.resolve('pass');
    await eventually('the phase deriving', async () => (await building())?.phase === 'deriving');
    await sleep(NO_SLICE_FOR_MS);
    expect(await building())
      .to.include({ phase: 'deriving' })
      .and.not.to.have.property('scan');
    await leave();
    await expectResult(first);
  });

  it('a builder that joins the group late reads the phase again before its first batch', async () => {
    const [guard, lateGuard] = [await proxy(), await proxy()];
    const mayFold = Promise.withResolvers<'pass'>();
    const mayDerive = Promise.withResolvers<'pass'>();
    const derives = Promise.withResolvers<void>();
    const { states, items } = generationNames(deployment.prefix, 2);
    let isDeriving = false;
    const writesRegistry = ({ method, path }: ProxiedRequest) =>
      method !== 'GET' && path.includes(registryIndex(deployment.prefix));
    guard.hook = (step, moment, request) => {
      if (moment === 'after') return 'pass';
      if (writesRegistry(request) && request.body.includes('"phase":"deriving"')) isDeriving = true;
      if (step === 'write states') return mayFold.promise;
      if (step !== 'write items') return 'pass';
      derives.resolve();
      return mayDerive.promise;
    };
    // The late builder has stored the indices in the phase `folding` and inspects them before it joins the group.
    const isLate = Promise.withResolvers<void>();
    const mayJoin = Promise.withResolvers<'pass'>();
    const mayReadPhase = Promise.withResolvers<'pass'>();
    let folded = 0;
    let isReleased = false;
    const isMember = async () => {
      const group = await deployment.admin.describeGroup(`${deployment.prefix}-group-2`);
      return group.state === 'Stable' && group.members.length === 1;
    };
    lateGuard.hook = (step, moment, request) => {
      if (moment === 'after') return 'pass';
      if (step === 'write states' && !isReleased) folded++;
      // A heartbeat would tell the builder the phase before it joins the group.
      if (isDeriving && writesRegistry(request)) return mayReadPhase.promise;
      if (!request.path.includes(states) || !request.path.includes(items)) return 'pass';
      isLate.resolve();
      return mayJoin.promise;
    };
    const first = builder(guard, ['replay']);
    await eventually('generation 2 exists', building);
    const late = builder(lateGuard, ['replay', 'join', '2']);
    let hasEnded = false;
    void late.exited.then(() => {
      hasEnded = true;
    });
    await isLate.promise;
    mayFold.resolve('pass');
    // The first builder holds a page of states, which lacks the events that are published now.
    await derives.promise;
    await deployment.publish(
      Array.from({ length: LISTINGS }, (_, i) => ({ ...market.changed(i, { price: 400 }), partition: 0 })),
    );
    mayJoin.resolve('pass');
    // On a slow machine, the late builder may count as lost before it joins the group or reads the phase.
    await eventually('the late builder is a member of the group', async () => hasEnded || (await isMember()));
    await sleep(NO_SLICE_FOR_MS);
    isReleased = true;
    mayReadPhase.resolve('pass');
    mayDerive.resolve('pass');
    await expectResult(first);
    expect(await late.exited, late.log()).to.be.oneOf([0, 3]);
    expect(folded, 'bulk requests of the late builder before it read the phase').to.equal(0);
  });
});

/** Joins the group of generation 2 with a member that has the partition without records. */
async function joinPartitionWithoutRecords(deployment: Deployment) {
  for (;;) {
    const joined = Promise.withResolvers<number[]>();
    const leave = await startConsumer({
      kafka: kafkaConnection(deployment.env),
      log: createLog('test', 'silent'),
      groupId: `${deployment.prefix}-group-2`,
      topic: deployment.topic,
      topicId: await readTopicId(deployment.admin, deployment.topic),
      admin: deployment.admin,
      bytesPerPartition: 1024 * 1024,
      keepOffsets: false,
      handle: async (batch) => batch.commit(batch.end),
      onAssigned: (partitions) => {
        // While this member is alone in the group, it has both partitions, until the builder joins.
        if (partitions.length === 1) joined.resolve(partitions);
      },
      onFetched: () => undefined,
      onPosition: () => undefined,
      onFatal: joined.reject,
    });
    if ((await joined.promise)[0] === 1) return leave;
    await leave();
  }
}
