import type { KafkaAdmin } from '@vitrine/kafka';
import { expect } from 'chai';
import { missingDeadLetterRoom } from './topic-plan.ts';

describe('missingDeadLetterRoom', () => {
  const room = (sizes: Record<string, string>) => {
    const admin = {
      listTopics: async () => Object.keys(sizes),
      fetchTopicMetadata: async () => ({ topics: [] }),
      topicSettings: async (topic: string) => ({ 'max.message.bytes': sizes[topic] }),
    } as unknown as KafkaAdmin;
    return missingDeadLetterRoom(admin, 'letters', 'source');
  };

  it('is the needed size if a source topic accepts larger records than its dead-letter topic can hold', async () => {
    expect(await room({ letters: '2097176', source: '10485760' })).to.equal(20_971_520);
    expect(await room({ letters: '2097176', source: '1048588' })).to.equal(undefined);
  });

  it('is unknown while a topic is missing', async () => {
    expect(await room({ letters: '1' })).to.equal(undefined);
    expect(await room({ source: '1' })).to.equal(undefined);
  });
});
