import { workload } from '@vitrine/fixtures';
import { expect } from 'chai';
import kafkajs from 'kafkajs';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { expectFold } from '../support/expected-contents.ts';
import { type RunningProjector, runProjector } from '../support/in-process.ts';
import { eventually } from '../support/service-process.ts';

/**
 * If a topic gets more partitions, producers map keys to other partitions. The events of a listing are then
 * in two partitions, and two projectors may write the listing.
 */
describe('a topic with added partitions', () => {
  let deployment: Deployment;
  const projectors: RunningProjector[] = [];
  // No poison: this producer may send a batch twice while the topic changes. A fold ignores the duplicate,
  // but a poisonous record would become two dead letters.
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
    await deployment.admin.createPartitions({ topicPartitions: [{ topic: deployment.topic, count: 5 }] });
    const producer = deployment.kafka.producer({
      createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
    });
    await producer.connect();
    await producer.send({ topic: deployment.topic, messages: records.slice(half) });
    await producer.disconnect();
    // A new partition may have no leader yet.
    const offsets = await eventually('every partition has a leader', () =>
      deployment.admin.fetchTopicOffsets(deployment.topic).catch(() => undefined),
    );
    expect(
      offsets.filter(({ high }) => Number(high) > 0),
      'partitions with events',
    ).to.have.length(5);
    // A joining member makes the group read the topic's metadata again. If no member joins, the group reads
    // the metadata only every five minutes.
    projectors.push(await runProjector(deployment));
    await deployment.caughtUp();
    await expectFold(deployment, records);
  });
});
