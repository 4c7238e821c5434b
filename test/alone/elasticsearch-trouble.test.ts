import { randomInt } from 'node:crypto';
import { generationNames } from '@vitrine/feed-index';
import { Random, workload } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createDeployment, type Deployment, type Published } from '../support/deployment.ts';
import { engines } from '../support/engines.ts';
import { expectFold } from '../support/expected-contents.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { type RunningProjector, runProjector } from '../support/in-process.ts';
import { eventually } from '../support/service-process.ts';

const WATERMARK = 'cluster.routing.allocation.disk.watermark';
const INTERVAL = 'cluster.info.update.interval';
const FLOOD_STAGE_BLOCK = 'index.blocks.read_only_allow_delete';
/** The environment variable LOST_SEED selects the same lost responses as an earlier run. */
const LOST_SEED = process.env.LOST_SEED ? Number(process.env.LOST_SEED) : randomInt(2 ** 31);

describe('the projector pauses, resumes without a restart and loses nothing if Elasticsearch', () => {
  let deployment: Deployment;
  let proxy: FaultProxy;
  let projector: RunningProjector;
  let records: Published[] = [];
  let seed = 100;

  before(async () => {
    deployment = await createDeployment('trouble');
    proxy = await startFaultProxy(deployment.env.ELASTICSEARCH_URL as string);
    projector = await runProjector(deployment, { ELASTICSEARCH_URL: proxy.url });
    await publishMore();
    await deployment.caughtUp();
  });
  after(async () => {
    await projector.stop();
    await proxy.close();
    await deployment.close();
  });

  async function publishMore(events = 600): Promise<void> {
    const more = workload({ seed: seed++, listings: 50, events });
    records = [...records, ...more];
    await deployment.publish(more);
  }
  const pausedFor = (why: RegExp) =>
    eventually(
      `unready because of ${why}`,
      async () => (await projector.reasons()).some((reason) => why.test(reason)),
      90_000,
    );
  async function expectRecovery(): Promise<void> {
    await deployment.caughtUp();
    await eventually('ready again', async () => (await projector.reasons()).length === 0);
    await expectFold(deployment, records);
  }

  it('stops and starts again', async () => {
    const { elasticsearch } = await engines();
    await elasticsearch?.stop();
    await publishMore();
    await pausedFor(/paused/);
    await elasticsearch?.start();
    await expectRecovery();
  });

  it('is frozen for longer than any timeout', async () => {
    const { elasticsearch } = await engines();
    await elasticsearch?.freeze();
    await publishMore();
    await pausedFor(/timed out/i);
    await elasticsearch?.thaw();
    await expectRecovery();
  });

  it('blocks writes, first to the items and then to the states', async () => {
    const { states, items } = generationNames(deployment.prefix, 1);
    for (const index of [items, states]) {
      await deployment.client.indices.putSettings({ index, settings: { 'index.blocks.write': true } });
      await publishMore();
      await pausedFor(/cluster_block_exception/);
      await deployment.client.indices.putSettings({ index, settings: { 'index.blocks.write': null } });
      await expectRecovery();
    }
  });

  it('blocks writes because its disk is full, until it removes this block itself', async function () {
    const { elasticsearch } = await engines();
    // The block affects every index of the cluster, so the test needs an Elasticsearch of its own.
    if (!elasticsearch) return this.skip();
    const { client, prefix } = deployment;
    const { states, items } = generationNames(prefix, 1);
    const blocked = async () => {
      const found = await client.indices.getSettings({ index: [items, states], flat_settings: true });
      return Object.values(found).filter(
        ({ settings }) => (settings as Record<string, string>)[FLOOD_STAGE_BLOCK] === 'true',
      ).length;
    };
    try {
      // No disk has a petabyte of free space, so Elasticsearch considers every watermark exceeded.
      await client.cluster.putSettings({
        persistent: { [WATERMARK]: { low: '3pb', high: '2pb', flood_stage: '1pb' }, [INTERVAL]: '10s' },
      });
      await eventually(
        'Elasticsearch has set the flood-stage block',
        async () => (await blocked()) === 2,
        60_000,
      );
      await publishMore();
      await pausedFor(/flood-stage/);
    } finally {
      await client.cluster.putSettings({ persistent: { [`${WATERMARK}.*`]: null, [INTERVAL]: null } });
    }
    await eventually('Elasticsearch has removed the block', async () => (await blocked()) === 0, 120_000);
    await expectRecovery();
  });

  it(`applies writes whose responses are lost (LOST_SEED=${LOST_SEED})`, async () => {
    let lost = 0;
    const random = new Random(LOST_SEED);
    proxy.hook = (step, moment) => {
      if (moment === 'before' || step === 'other' || lost >= 30) return 'pass';
      // The first responses are always lost, so that enough are lost even if a few batches hold all records.
      if (lost > 5 && random.fraction() < 0.5) return 'pass';
      lost++;
      return 'cut';
    };
    await publishMore(3000);
    await expectRecovery();
    expect(lost).to.be.above(5);
    proxy.hook = () => 'pass';
  });
});
