import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { expectFold } from '../support/assertions.ts';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { engines } from '../support/engines.ts';
import { inProcess, type RunningProjector } from '../support/in-process.ts';
import { spawnService } from '../support/service-process.ts';
import { workload } from '../support/workload.ts';

describe('Kafka in trouble', () => {
  let deployment: Deployment;
  let projector: RunningProjector | undefined;

  beforeEach(async () => {
    deployment = await createDeployment('kafka', 2);
  });
  afterEach(async () => {
    await projector?.stop();
    projector = undefined;
    await deployment.close();
  });

  it('restarted in the middle of the log: consumption goes on, and nothing is lost', async () => {
    const { kafka } = await engines();
    const records = workload({ seed: 21, listings: 100, events: 4_000 });
    await deployment.publish(records);
    projector = await inProcess(deployment);
    await kafka?.stop();
    await kafka?.start();
    const more = workload({ seed: 22, listings: 100, events: 500 });
    await deployment.publish(more);
    await deployment.caughtUp(120_000);
    await expectFold(deployment, [...records, ...more]);
  });

  it('records deleted before they were read: the projector does not start, and says which', async () => {
    await deployment.publish(workload({ seed: 23, listings: 10, events: 200 }));
    projector = await inProcess(deployment);
    await deployment.caughtUp();
    await projector.stop();
    projector = undefined;
    await deployment.publish(workload({ seed: 24, listings: 10, events: 200 }));
    await deleteAll(deployment);
    const refused = spawnService('projector', deployment.env);
    expect(await refused.exited).to.equal(1);
    expect(refused.log()).to.match(/no longer holds what group .* has to read next \(partition \d: committed \d+, the log holds \d+ to \d+/);
  });

  for (const [who, observeEvery] of [
    ['seen by its look at the log', 500],
    ['seen when Kafka refuses the fetch', 600_000],
  ] as const)
    it(`records deleted under a running projector, ${who}: it stops, and nothing is reset silently`, async () => {
      const { elasticsearch } = await engines();
      await deployment.publish(workload({ seed: 25, listings: 10, events: 200 }));
      projector = await inProcess(deployment, {}, { observeEvery });
      await deployment.caughtUp();
      // Held back by Elasticsearch it has a batch in memory, and the log moves on without it.
      elasticsearch?.freeze();
      await deployment.publish(workload({ seed: 26, listings: 10, events: 200 }));
      await sleep(2_000);
      const held = await ends(deployment);
      await deployment.publish(workload({ seed: 27, listings: 10, events: 200 }));
      await deleteAll(deployment);
      if (observeEvery < 1_000) await projector.failed;
      elasticsearch?.thaw();
      expect((await projector.failed).name).to.equal('LostOffsetsError');
      await projector.stop();
      projector = undefined;
      for (const [partition, offset] of Object.entries(await committed(deployment)))
        expect(offset, `committed of partition ${partition}`).to.be.at.most(held[Number(partition)] ?? -1);
    });

  it('a new group starts at the beginning of the log, and with START_OFFSET=latest at its end', async () => {
    const records = workload({ seed: 27, listings: 10, events: 100 });
    await deployment.publish(records);
    projector = await inProcess(deployment, { START_OFFSET: 'latest' });
    const later = workload({ seed: 28, listings: 10, events: 100 });
    await sleep(3_000);
    await deployment.publish(later);
    await deployment.caughtUp();
    await expectFold(deployment, later);
    await projector.stop();
    projector = await inProcess(deployment, { CONSUMER_GROUP: `${deployment.prefix}-other` });
    await deployment.caughtUp();
    await projector.stop();
    projector = undefined;
  });
});

async function deleteAll({ admin, topic }: Deployment): Promise<void> {
  await admin.deleteTopicRecords({
    topic,
    partitions: (await admin.fetchTopicOffsets(topic)).map(({ partition, high }) => ({ partition, offset: high })),
  });
}

async function ends({ admin, topic }: Deployment): Promise<Record<number, number>> {
  return Object.fromEntries((await admin.fetchTopicOffsets(topic)).map(({ partition, high }) => [partition, Number(high)]));
}

async function committed({ admin, groupId, topic }: Deployment): Promise<Record<number, number>> {
  const [group] = await admin.fetchOffsets({ groupId, topics: [topic] });
  return Object.fromEntries((group?.partitions ?? []).map(({ partition, offset }) => [partition, Number(offset)]));
}
