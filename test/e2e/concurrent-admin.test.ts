import { createKafka, type KafkaAdmin, readOffsets, readTopicId } from '@vitrine/kafka';
import { createLog } from '@vitrine/runtime/log';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { createSourceTopic } from '../support/ingest.ts';
import { eventually } from '../support/service-process.ts';

const NEW_TOPICS = 20;

describe('an admin client that reads several topics at the same time', () => {
  let deployment: Deployment;
  let admin: KafkaAdmin;

  before(async () => {
    deployment = await createDeployment('concurrent-admin', 1);
    admin = createKafka({ brokers: deployment.env.KAFKA_BROKERS }, createLog('test', 'silent')).admin();
    await admin.connect();
  });
  after(async () => {
    await admin.disconnect();
    await deployment.close();
  });

  /** Creates a topic with one record, and a group that has committed it. @returns the names of both */
  const createCommittedTopic = async (name: string) => {
    const topic = await createSourceTopic(deployment, name, 1);
    await topic.publish([{ key: 'a', value: '1' }]);
    const groupId = `${topic.name}-group`;
    await deployment.admin.setOffsets({
      groupId,
      topic: topic.name,
      partitions: [{ partition: 0, offset: '1' }],
    });
    return { topic: topic.name, groupId };
  };

  it('finds the offsets of every topic, also while it meets new topics', async () => {
    const topics = await Promise.all(['a', 'b', 'c'].map(createCommittedTopic));
    let isMeeting = true;
    const meetNewTopics = async () => {
      for (let number = 0; number < NEW_TOPICS; number++) {
        const { name } = await createSourceTopic(deployment, `new-${number}`, 1);
        await readTopicId(admin, name);
      }
      isMeeting = false;
    };
    const readAgainAndAgain = async ({ topic, groupId }: { topic: string; groupId: string }) => {
      while (isMeeting)
        expect(
          (await readOffsets(admin, groupId, topic)).map(({ committed, end }) => ({ committed, end })),
        ).to.deep.equal([{ committed: 1n, end: 1n }]);
    };
    await Promise.all([meetNewTopics(), ...topics.map(readAgainAndAgain)]);
  });

  it('reads a topic although another one was deleted', async () => {
    const [kept, deleted] = [await createCommittedTopic('kept'), await createCommittedTopic('deleted')];
    await readOffsets(admin, deleted.groupId, deleted.topic);
    await deployment.admin.deleteTopics({ topics: [deleted.topic] });
    // The client under test must not learn here that the topic is gone.
    await eventually(
      'the topic is gone',
      async () => !(await deployment.admin.listTopics()).includes(deleted.topic),
    );
    const error = await readOffsets(admin, deleted.groupId, deleted.topic).catch((cause: Error) => cause);
    expect(error).to.have.property('name', 'MissingTopicError');
    const offsets = await readOffsets(admin, kept.groupId, kept.topic);
    expect(offsets.map(({ end }) => end)).to.deep.equal([1n]);
  });
});
