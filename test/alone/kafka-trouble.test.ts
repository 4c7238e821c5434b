import { setTimeout as sleep } from 'node:timers/promises';
import { workload } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { engines } from '../support/engines.ts';
import { expectFold } from '../support/expected-contents.ts';
import { type FaultProxy, startFaultProxy, type Verdict } from '../support/fault-proxy.ts';
import { type RunningProjector, runProjector } from '../support/in-process.ts';
import { eventually, startService } from '../support/service-process.ts';

describe('Kafka failures', () => {
  let deployment: Deployment;
  /** The proxy between the projector and Elasticsearch. */
  let proxy: FaultProxy;
  let projector: RunningProjector | undefined;

  beforeEach(async () => {
    deployment = await createDeployment('kafka', 2);
    proxy = await startFaultProxy(deployment.env.ELASTICSEARCH_URL as string);
  });
  afterEach(async () => {
    await projector?.stop();
    projector = undefined;
    await proxy.close();
    await deployment.close();
  });

  /** Resolves when the projector sends its next request for a batch. */
  const nextBatch = () =>
    new Promise<void>((resolve) => {
      proxy.hook = (step) => {
        if (step !== 'other') resolve();
        return 'pass';
      };
    });

  it('a restart between two chunks of a partition loses nothing, and consumption continues', async () => {
    const { kafka } = await engines();
    // These records make three chunks per partition.
    const records = workload({ seed: 21, listings: 100, events: 12_000 });
    await deployment.publish(records);
    // The proxy delays all writes but the first, so that Kafka stops when some records are finished and some
    // are not.
    const restarted = Promise.withResolvers<Verdict>();
    let writes = 0;
    proxy.hook = (step, moment) =>
      step === 'write states' && moment === 'before' && ++writes > 1 ? restarted.promise : 'pass';
    try {
      projector = await runProjector(deployment, { ELASTICSEARCH_URL: proxy.url });
      const sum = (offsets: Record<number, number>) =>
        Object.values(offsets).reduce((total, offset) => total + Math.max(0, offset), 0);
      const finished = await eventually('a chunk is committed', async () => sum(await committed(deployment)));
      expect(finished, 'finished records when Kafka stops').to.be.below(sum(await ends(deployment)));
      await kafka?.stop();
      await kafka?.start();
      // The coordinator of the group may still be loading the commits.
      const after = await eventually('the commits can be read', async () =>
        sum(await committed(deployment).catch(() => ({}))),
      );
      expect(after, 'finished records after the restart of Kafka').to.equal(finished);
    } finally {
      restarted.resolve('pass');
    }
    // The test publishes after the catch-up, because while a partition has no leader, the test's producer
    // would send records of other partitions twice.
    await deployment.caughtUp();
    const more = workload({ seed: 22, listings: 100, events: 500 });
    await deployment.publish(more);
    await deployment.caughtUp();
    await expectFold(deployment, [...records, ...more]);
  });

  it('a restart while Elasticsearch delays a batch stops heartbeats, but consumption continues', async () => {
    const { kafka, elasticsearch } = await engines();
    const records = workload({ seed: 29, listings: 50, events: 500 });
    projector = await runProjector(deployment, { ELASTICSEARCH_URL: proxy.url });
    await deployment.publish(records);
    await deployment.caughtUp();
    await elasticsearch?.freeze();
    const more = workload({ seed: 30, listings: 50, events: 500 });
    const reached = nextBatch();
    await deployment.publish(more);
    await reached;
    await kafka?.stop();
    await sleep(1_500);
    await kafka?.start();
    await elasticsearch?.thaw();
    await deployment.caughtUp();
    await expectFold(deployment, [...records, ...more]);
  });

  it('aborted transactions are skipped and count as read', async () => {
    const records = workload({ seed: 33, listings: 10, events: 50 });
    await deployment.publish(records);
    projector = await runProjector(deployment);
    await deployment.caughtUp();
    // The aborted batch is alone in its fetch, so the fetch contains no visible record.
    const producer = deployment.kafka.producer({ transactionalId: deployment.prefix, idempotent: true });
    await producer.connect();
    const transaction = await producer.transaction();
    const end = async () =>
      (await deployment.admin.fetchTopicOffsets(deployment.topic)).reduce(
        (sum, { high }) => sum + Number(high),
        0,
      );
    const endBefore = await end();
    const messages = workload({ seed: 34, listings: 10, events: 20 });
    const sent = await transaction.send({ topic: deployment.topic, messages });
    await transaction.abort();
    await producer.disconnect();
    // The broker writes a marker into each partition after it has confirmed the abort.
    await eventually(
      'the abort markers are written',
      async () => (await end()) >= endBefore + messages.length + sent.length,
    );
    await deployment.caughtUp();
    await expectFold(deployment, records);
    await projector.stop();
    await deleteAll(deployment);
    projector = await runProjector(deployment);
    expect(await Promise.race([projector.failed, sleep(2_000, 'still running')])).to.equal('still running');
  });

  it('the projector does not start if unread records were deleted, and reports these records', async () => {
    await deployment.publish(workload({ seed: 23, listings: 10, events: 200 }));
    projector = await runProjector(deployment);
    await deployment.caughtUp();
    await projector.stop();
    projector = undefined;
    await deployment.publish(workload({ seed: 24, listings: 10, events: 200 }));
    await deleteAll(deployment);
    const refused = startService('projector', deployment.env);
    expect(await refused.exited).to.equal(1);
    expect(refused.log()).to.match(
      /no longer holds the next records of group .* \(partition \d: committed offset \d+, log from \d+ to /,
    );
  });

  for (const [who, observeEvery] of [
    ['the check of the log', 500],
    ["Kafka's refusal of the fetch", 600_000],
  ] as const)
    it(`a running projector detects deleted unread records by ${who}, stops, and resets no offset`, async () => {
      const { elasticsearch } = await engines();
      await deployment.publish(workload({ seed: 25, listings: 10, events: 200 }));
      projector = await runProjector(deployment, { ELASTICSEARCH_URL: proxy.url }, { observeEvery });
      await deployment.caughtUp();
      // While Elasticsearch is frozen, the projector has a batch in memory, and the test deletes the records
      // after that batch.
      await elasticsearch?.freeze();
      const reached = nextBatch();
      await deployment.publish(workload({ seed: 26, listings: 10, events: 200 }));
      await reached;
      // The other partition's batch arrives too.
      await sleep(2_000);
      const fetched = await ends(deployment);
      await deployment.publish(workload({ seed: 27, listings: 10, events: 200 }));
      await deleteAll(deployment);
      if (observeEvery < 1_000) await projector.failed;
      await elasticsearch?.thaw();
      expect((await projector.failed).name).to.equal('LostOffsetsError');
      await projector.stop();
      projector = undefined;
      for (const [partition, offset] of Object.entries(await committed(deployment)))
        expect(offset, `committed offset of partition ${partition}`).to.be.at.most(
          fetched[Number(partition)] ?? -1,
        );
    });

  it('a new group starts at the beginning of the log, or at its end with START_OFFSET=latest', async () => {
    const records = workload({ seed: 27, listings: 10, events: 100 });
    await deployment.publish(records);
    const stallLimits = { unreadyAfter: 1_000, endAfter: 2_000 };
    projector = await runProjector(
      deployment,
      { START_OFFSET: 'latest' },
      { stallLimits, observeEvery: 250 },
    );
    expect(
      await Promise.race([projector.failed, sleep(4_000, 'still running')]),
      'records before the start do not count as lag',
    ).to.equal('still running');
    await projector.stop();
    // The projector stopped before its first commit. After a restart, it must not skip the records in
    // between.
    const later = workload({ seed: 28, listings: 10, events: 100 });
    await deployment.publish(later);
    projector = await runProjector(deployment, { START_OFFSET: 'latest' });
    await deployment.caughtUp();
    await expectFold(deployment, later);
    await projector.stop();
    projector = await runProjector(deployment, { CONSUMER_GROUP: `${deployment.prefix}-other` });
    await deployment.caughtUp();
    await projector.stop();
    projector = undefined;
  });
});

async function deleteAll({ admin, topic }: Deployment): Promise<void> {
  await admin.deleteTopicRecords({
    topic,
    partitions: (await admin.fetchTopicOffsets(topic)).map(({ partition, high }) => ({
      partition,
      offset: high,
    })),
  });
}

async function ends({ admin, topic }: Deployment): Promise<Record<number, number>> {
  return Object.fromEntries(
    (await admin.fetchTopicOffsets(topic)).map(({ partition, high }) => [partition, Number(high)]),
  );
}

async function committed({ admin, groupId, topic }: Deployment): Promise<Record<number, number>> {
  const [group] = await admin.fetchOffsets({ groupId, topics: [topic] });
  return Object.fromEntries(
    (group?.partitions ?? []).map(({ partition, offset }) => [partition, Number(offset)]),
  );
}
