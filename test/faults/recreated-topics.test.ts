import { setTimeout as sleep } from 'node:timers/promises';
import { activeBuilders } from '@vitrine/feed-index';
import { MarketEvents } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createDeployment, type Deployment, recreateTopic, registryOf } from '../support/deployment.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';
import { eventually } from '../support/service-process.ts';

/** How often each scenario runs. */
const RUNS = Number(process.env.VITRINE_RECREATED_RUNS ?? 1);
const PARTITIONS = 2;
const OLD_LISTINGS = 40;
/** Number of listings in the new topic. */
const SIZES = { fewer: 20, 'as many': OLD_LISTINGS, more: 90 };
const NOTICED_WITHIN_MS = 60_000;
/** The interval of the check. With the long one, only the ids in the commits help. */
const OFTEN = { observeEvery: 300 };
const NEVER = { observeEvery: 3_600_000 };
const RECREATED = /was deleted and created again: its id was [\w-]{22}, and now it is [\w-]{22}/;
/** On a slow machine, two checks may happen before the topic is created again. */
const ENDED = new RegExp(`${RECREATED.source}|was deleted while it was being read`);

describe('a topic that is deleted and created again (librdkafka#3255, confluent-kafka-python#1787)', () => {
  let deployment: Deployment;
  let proxy: FaultProxy;
  let projector: RunningProjector | undefined;
  let isPaused = false;

  beforeEach(async () => {
    deployment = await createDeployment('recreated', PARTITIONS);
    proxy = await startFaultProxy(deployment.env.ELASTICSEARCH_URL as string);
    isPaused = false;
    proxy.hook = (step) => (isPaused && step === 'write states' ? 'cut' : 'pass');
  });
  afterEach(async () => {
    await stop();
    await proxy.close();
    await deployment.close();
  });

  const start = async (options: { observeEvery: number } = OFTEN) => {
    projector = await runProjector(deployment, { ELASTICSEARCH_URL: proxy.url }, options);
  };
  const stop = async () => {
    await projector?.stop();
    projector = undefined;
  };
  const publish = (from: number, count: number) => {
    const market = new MarketEvents();
    // The first version of every seventh listing is hidden.
    const listings = Array.from({ length: count }, (_, i) => (from + i) * 7 + 1);
    return deployment.publish(
      listings.map((listing, i) => ({ ...market.snapshot(listing), partition: i % PARTITIONS })),
    );
  };
  const publishOld = () => publish(0, OLD_LISTINGS);
  const recreateWith = async (count: number) => {
    await recreateTopic(deployment, PARTITIONS);
    await publish(1_000, count);
  };
  const pause = async () => {
    isPaused = true;
    await publishOld();
    await eventually('a partition is paused', async () =>
      (await projector?.reasons())?.some((reason) => reason.includes('is paused')),
    );
  };
  /** Waits until the projector ends because of the other id. */
  const ended = async () => {
    const error = await Promise.race([
      projector?.failed,
      sleep(NOTICED_WITHIN_MS, undefined, { ref: false }),
    ]);
    expect(error?.message, 'why the projector ends').to.match(ENDED);
    expect(error?.message).to.include(deployment.topic);
  };
  const expectNew = async (count: number, generation?: number) => {
    await deployment.caughtUp(90_000, generation);
    const expected = Array.from({ length: count }, (_, i) => MarketEvents.idOf((1_000 + i) * 7 + 1));
    const ids = [...(await deployment.items(generation)).keys()];
    expect(ids.filter((id) => expected.includes(id)).sort(), 'listings of the new topic').to.deep.equal(
      expected,
    );
  };

  const committed = async () => {
    const { admin, groupId, topic } = deployment;
    const [group] = await admin.fetchOffsets({ groupId, topics: [topic] });
    return group?.partitions ?? [];
  };

  it('a projector that began with the old topic ends when another one joins its group', async () => {
    await start(NEVER);
    await pause();
    await recreateWith(SIZES.more);
    const second = await runProjector(deployment, {}, NEVER);
    try {
      await ended();
      await stop();
      await expectNew(SIZES.more);
    } finally {
      await second.stop();
    }
  });

  it('commits of release 1.1.0, which contain no id, count as commits of the current topic', async () => {
    await start();
    await publishOld();
    await deployment.caughtUp();
    await stop();
    const { admin, groupId, topic } = deployment;
    const partitions = (await committed()).map(({ partition, offset }) => ({ partition, offset }));
    await admin.setOffsets({ groupId, topic, partitions });
    expect((await committed()).map(({ metadata }) => metadata)).to.deep.equal([null, null]);
    await publish(1_000, SIZES.fewer);
    await start();
    await expectNew(SIZES.fewer);
    expect(await projector?.metric('projector_records_total'), 'records read after the upgrade').to.equal(
      SIZES.fewer,
    );
    for (const { metadata } of await committed()) expect(metadata).to.match(/^topic-id=[\w-]{22}$/);
  });

  for (const [size, count] of Object.entries(SIZES))
    for (let run = 1; run <= RUNS; run++) {
      const title = (when: string) => `${when}, with ${size} records${RUNS > 1 ? `, run ${run}` : ''}`;

      it(title('while the projector runs'), async () => {
        await start();
        await publishOld();
        await deployment.caughtUp();
        await recreateWith(count);
        await ended();
        await stop();
        await start();
        await expectNew(count);
      });

      it(title('while a partition is paused'), async () => {
        await start();
        await pause();
        await recreateWith(count);
        await ended();
        isPaused = false;
        await stop();
        await start();
        await expectNew(count);
      });

      it(
        title('while a partition is paused that commits into the new log before the next check'),
        async () => {
          await start(NEVER);
          await pause();
          await recreateWith(count);
          isPaused = false;
          await eventually('the retained batch is committed', async () => {
            return (await committed()).some(({ offset }) => Number(offset) > 0);
          });
          await stop();
          await start();
          await expectNew(count);
        },
      );

      it(title('while the projector is stopped'), async () => {
        await start();
        await publishOld();
        await deployment.caughtUp();
        await stop();
        await recreateWith(count);
        await start();
        await expectNew(count);
      });

      it(title('during a rebuild'), async () => {
        await publishOld();
        await start();
        await deployment.caughtUp();
        const replay = cli(deployment, ['replay', '--rate', '2']);
        await eventually(
          'the rebuild has begun',
          async () => (activeBuilders(await registryOf(deployment))[0]?.done ?? 0) > 0,
        );
        await recreateWith(count);
        await ended();
        await stop();
        await start();
        const failed = await replay;
        expect(failed.code, failed.output).not.to.equal(0);
        expect(failed.output).to.match(ENDED);
        const resumed = await cli(deployment, ['replay', 'resume']);
        expect(resumed.code, resumed.output).to.equal(3);
        expect(resumed.output).to.match(RECREATED).and.to.include('replay cancel');
        expect((await cli(deployment, ['replay', 'cancel'])).code).to.equal(0);
        const again = await cli(deployment, ['replay']);
        expect(again.code, again.output).to.equal(0);
        await expectNew(count);
        await expectNew(count, 3);
        expect((await deployment.items(3)).size).to.equal(count);
      });
    }
});
