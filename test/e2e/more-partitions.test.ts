import { workload } from '@vitrine/fixtures';
import { replay } from '@vitrine/operator';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { expectFold } from '../support/expected-contents.ts';
import { startFaultProxy, type Verdict } from '../support/fault-proxy.ts';
import { openCommandContext, type RunningProjector, runProjector } from '../support/in-process.ts';
import { eventually } from '../support/service-process.ts';

/**
 * If a topic gets more partitions, producers map keys to other partitions. The events of a listing are then
 * in two partitions, and two projectors may write the listing.
 */
describe('a topic with added partitions', () => {
  let deployment: Deployment;
  const projectors: RunningProjector[] = [];
  // There is no poison, because this producer may send a batch twice while the topic changes. A fold ignores
  // the duplicate, but a poisonous record would become two dead letters.
  const records = workload({ seed: 61, listings: 150, events: 1_500, poison: 0 });

  before(async () => {
    deployment = await createDeployment('more-partitions', 2);
  });
  after(async () => {
    await Promise.all(projectors.map((projector) => projector.stop()));
    await deployment.close();
  });

  it('is folded into the same index regardless of which projector owns which partition', async () => {
    const half = records.length / 2;
    projectors.push(await runProjector(deployment));
    await deployment.publish(records.slice(0, half));
    await deployment.admin.addPartitions(deployment.topic, 5);
    // A broker shows new partitions only after a moment, and may not lead them yet.
    const offsets = () => deployment.admin.fetchTopicOffsets(deployment.topic).catch(() => []);
    await eventually('the partitions have leaders', async () => (await offsets()).length === 5);
    const producer = deployment.kafka.producer();
    await producer.connect();
    await producer.send({ topic: deployment.topic, messages: records.slice(half) });
    await producer.disconnect();
    expect(
      (await offsets()).filter(({ high }) => Number(high) > 0),
      'partitions with events',
    ).to.have.length(5);
    projectors.push(await runProjector(deployment));
    await deployment.caughtUp();
    await expectFold(deployment, records);
  });
});

describe('partitions that are added while no member joins the group', () => {
  /** The documented time is a minute. kafkajs' own default is five minutes. */
  const WITHIN_MS = 120_000;

  it('are part of the lag and are read, even by a rebuild that is in progress', async () => {
    const deployment = await createDeployment('added-partitions', 1);
    const { topic } = deployment;
    const projector = await runProjector(deployment, {}, { observeEvery: 100 });
    const records = workload({ seed: 62, listings: 20, events: 200, poison: 0 });
    await deployment.publish(records.slice(0, 100));
    await deployment.caughtUp();
    const proxy = await startFaultProxy(deployment.env.ELASTICSEARCH_URL as string);
    const [writes, mayWrite] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    proxy.hook = async (step, moment): Promise<Verdict> => {
      if (step === 'write states' && moment === 'before') {
        writes.resolve();
        await mayWrite.promise;
      }
      return 'pass';
    };
    const context = await openCommandContext(deployment, { env: { ELASTICSEARCH_URL: proxy.url } });
    const rebuild = replay(
      context,
      { from: 'topic', incompleteLog: false },
      { onBegun: () => undefined, onProgress: () => undefined },
    );
    await Promise.race([writes.promise, rebuild.then(() => expect.fail('has ended'))]);

    await deployment.admin.addPartitions(topic, 2);
    await eventually('both partitions have leaders', async () => {
      const offsets = await deployment.admin.fetchTopicOffsets(topic).catch(() => []);
      return offsets.length === 2;
    });
    const producer = deployment.kafka.producer();
    await producer.connect();
    await producer.send({ topic, messages: records.slice(100).map((one) => ({ ...one, partition: 1 })) });
    await producer.disconnect();
    mayWrite.resolve();

    await eventually(
      'the lag metric of the partition',
      async () => {
        const text = await (await fetch(`${projector.admin}/metrics`)).text();
        return text.includes('projector_lag_records{generation="1",partition="1"}');
      },
      WITHIN_MS,
    );
    await deployment.caughtUp(WITHIN_MS);
    await expectFold(deployment, records);
    const { generation } = await rebuild;
    await deployment.caughtUp(WITHIN_MS, generation);
    expect(await deployment.items(generation)).to.deep.equal(await deployment.items(1));
    await context.close();
    await proxy.close();
    await projector.stop();
    await deployment.close();
  });
});
