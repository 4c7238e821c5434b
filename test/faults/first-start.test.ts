import { setTimeout as sleep } from 'node:timers/promises';
import { workload } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createDeployment, type Deployment, type Published } from '../support/deployment.ts';
import { expectFold } from '../support/expected-contents.ts';
import { runProjector } from '../support/in-process.ts';
import { eventually, type ServiceProcess, startService } from '../support/service-process.ts';

const ENDS_WITHIN_MS = 120_000;
const LATEST = { START_OFFSET: 'latest' };

describe('a consumer group without commits', () => {
  let deployment: Deployment;
  let refused: ServiceProcess | undefined;

  beforeEach(async () => {
    deployment = await createDeployment('first-start', 2);
  });
  afterEach(async () => {
    await refused?.end('SIGKILL');
    refused = undefined;
    await deployment.close();
  });

  const publish = async (seed: number): Promise<Published[]> => {
    const records = workload({ seed, listings: 10, events: 100, poison: 0 });
    await deployment.publish(records);
    return records;
  };
  /** Runs a projector until it has read everything, then stops it. */
  const project = async (env: Record<string, string> = {}): Promise<void> => {
    const projector = await runProjector(deployment, env);
    try {
      await deployment.caughtUp();
    } finally {
      await projector.stop();
    }
  };
  /**
   * Deletes the group's commits, as Kafka does if the group has no members for `offsets.retention.minutes`.
   */
  const expireCommits = () =>
    eventually('the group is deleted', () =>
      deployment.admin.deleteGroup(deployment.groupId).then(
        () => true,
        () => false,
      ),
    );
  const deleteAll = async () => {
    const { admin, topic } = deployment;
    const ends = await admin.fetchTopicOffsets(topic);
    await admin.deleteTopicRecords({
      topic,
      partitions: ends.map(({ partition, high }) => ({ partition, offset: high })),
    });
  };
  const commits = async () => {
    const [group] = await deployment.admin.fetchOffsets({
      groupId: deployment.groupId,
      topics: [deployment.topic],
    });
    return (group?.partitions ?? []).filter(({ offset }) => Number(offset) >= 0);
  };

  it('refuses START_OFFSET=latest after its commits expired, and reads everything again with earliest', async () => {
    const before = await publish(61);
    const first = await runProjector(deployment, LATEST);
    const seen = await publish(62);
    await deployment.caughtUp();
    await expectFold(deployment, seen);
    await first.stop();
    await expireCommits();
    const missed = await publish(63);

    refused = startService('projector', { ...deployment.env, ...LATEST });
    expect(
      await Promise.race([refused.exited, sleep(ENDS_WITHIN_MS, 'still running', { ref: false })]),
    ).to.equal(1);
    expect(refused.log()).to.match(
      /group .* has no committed offsets .* written generation 1 since 20.*START_OFFSET=latest would skip/s,
    );
    expect(await commits()).to.deep.equal([]);

    await project();
    await expectFold(deployment, [...before, ...seen, ...missed]);
  });

  it('does not start after its commits expired if the log has lost records since its first start', async () => {
    const seen = await publish(64);
    await project();
    await expireCommits();
    await publish(65);
    await deleteAll();
    await publish(66);
    refused = startService('projector', deployment.env);
    expect(
      await Promise.race([refused.exited, sleep(ENDS_WITHIN_MS, 'still running', { ref: false })]),
    ).to.equal(1);
    expect(refused.log()).to.match(
      /no committed offsets .*The log no longer holds all records \(partition \d begins at offset \d+/s,
    );
    await expectFold(deployment, seen);
  });

  it('can stop and start again before its first commit even if the beginning of the log is deleted', async () => {
    await publish(67);
    await deleteAll();
    const first = await runProjector(deployment);
    await first.stop();
    expect(await commits()).to.deep.equal([]);
    const seen = await publish(68);
    await project();
    await expectFold(deployment, seen);
  });

  it('starts at the end with START_OFFSET=latest, even if its generation is not number 1', async () => {
    await publish(69);
    const { admin, topic, groupId, prefix } = deployment;
    // This group has commits but no index. Its number stays reserved, so the first generation has number 2.
    await admin.setOffsets({ groupId, topic, partitions: [{ partition: 0, offset: '0' }] });
    const projector = await runProjector(deployment, LATEST);
    const seen = await publish(70);
    await deployment.caughtUp(undefined, 2);
    await projector.stop();
    await expectFold(deployment, seen);
    const registry = (
      await deployment.client.get<{ registry: object }>({ index: `${prefix}-generations`, id: 'registry' })
    )._source?.registry;
    expect(registry).to.have.nested.property('generations[0].number', 2);
    expect(registry).to.have.nested.property('generations[0].first_start.at');
  });

  it('refuses a partition that lost records before its first commit, and names it', async () => {
    const [one = [], other = []] = [67, 68].map((seed) =>
      workload({ seed, listings: 10, events: 100, poison: 0 }),
    );
    await deployment.publish(one.map((record) => ({ ...record, partition: 0 })));
    await project();
    await deployment.publish(other.map((record) => ({ ...record, partition: 1 })));
    await deployment.admin.deleteTopicRecords({
      topic: deployment.topic,
      partitions: [{ partition: 1, offset: '5' }],
    });
    refused = startService('projector', deployment.env);
    expect(
      await Promise.race([refused.exited, sleep(ENDS_WITHIN_MS, 'still running', { ref: false })]),
    ).to.equal(1);
    expect(refused.log()).to.match(
      /no committed offsets for partition 1 of .* no longer holds all records \(partition 1 begins at offset 5\)/,
    );
  });
});
