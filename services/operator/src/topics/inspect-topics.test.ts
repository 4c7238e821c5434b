import type { KafkaAdmin } from '@vitrine/kafka';
import { expect } from 'chai';
import { inspectTopics } from './inspect-topics.ts';

describe('inspectTopics', () => {
  it("warns if any broker deletes a stopped projector's offsets within a month", async () => {
    const found = async (...minutes: string[]) => {
      const admin = {
        describeCluster: async () => ({ brokers: minutes.map((_, nodeId) => ({ nodeId })) }),
        brokerSettings: async (nodeIds: number[], [name = '']: string[]) =>
          nodeIds.map((nodeId) => ({ [name]: minutes[nodeId] })),
        listTopics: async () => ['events'],
        fetchTopicMetadata: async () => ({ topics: [] }),
        topicSettings: async () => ({}),
      } as unknown as KafkaAdmin;
      const { findings } = await inspectTopics({ settings: { LISTING_EVENTS_TOPIC: 'events' }, admin });
      return findings.some(({ subject }) => subject === 'offsets.retention.minutes');
    };
    expect(await found('43200', '10080')).to.equal(true);
    expect(await found('43200', '43200')).to.equal(false);
  });
});
