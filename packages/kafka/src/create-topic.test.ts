import { expect } from 'chai';
import type { KafkaAdmin } from './admin.ts';
import { createTopic } from './create-topic.ts';
import { KafkaError } from './errors.ts';

const TOPIC = { topic: 'events', numPartitions: 2 };
const unknownTopic = (retriable: boolean) =>
  new KafkaError('unknown topic', { cause: undefined, code: 'UNKNOWN_TOPIC_OR_PARTITION', retriable });

/**
 * A simulated broker that gives these results to the requests for metadata and for offsets, in this order.
 */
function brokerWith(
  metadata: readonly (readonly number[] | Error)[],
  { created = true, offsets = [] }: { created?: boolean; offsets?: Error[] } = {},
) {
  const requests: object[] = [];
  let asked = 0;
  const admin = {
    createTopics: async (request: object) => {
      requests.push(request);
      return created;
    },
    fetchTopicMetadata: async () => {
      const next = metadata[asked++] ?? [];
      if (next instanceof Error) throw next;
      return { topics: [{ name: 'events', partitions: next.map((leader) => ({ leader })) }] };
    },
    fetchTopicOffsets: async () => {
      const error = offsets.shift();
      if (error) throw error;
      return [];
    },
  } as unknown as KafkaAdmin;
  return { admin, requests, asked: () => asked };
}

describe('a new topic', () => {
  it('is ready when the broker knows it and the leader of each partition accepts requests', async () => {
    const error = unknownTopic(true);
    const { admin, requests, asked } = brokerWith([error, [], [1, -1], [1, 0], [1, 0]], { offsets: [error] });
    expect(await createTopic(admin, TOPIC)).to.equal(true);
    expect(asked()).to.equal(5);
    expect(requests).to.deep.equal([{ topics: [TOPIC], validateOnly: false, waitForLeaders: false }]);
  });

  it('is also ready for this process if another process has just created it', async () => {
    const existing = brokerWith(
      [
        [1, -1],
        [1, 0],
      ],
      { created: false },
    );
    expect(await createTopic(existing.admin, TOPIC)).to.equal(false);
    expect(existing.asked()).to.equal(2);
  });

  it('causes no wait in a dry run', async () => {
    const dry = brokerWith([]);
    expect(await createTopic(dry.admin, TOPIC, { dryRun: true })).to.equal(true);
    expect(dry.asked()).to.equal(0);
  });

  it('ends the wait on abort, and is not created after an abort', async () => {
    const interrupted = new AbortController();
    const broker = brokerWith([]);
    const wait = createTopic(broker.admin, TOPIC, { signal: interrupted.signal }).catch(String);
    while (broker.asked() === 0) await new Promise(setImmediate);
    interrupted.abort();
    expect(await wait).to.match(/^AbortError/);
    const late = await createTopic(broker.admin, TOPIC, { signal: interrupted.signal }).catch(String);
    expect(late).to.match(/^AbortError/);
    expect(broker.requests).to.have.lengthOf(1);
  });

  it('fails immediately with an error that is not retryable', async () => {
    const error = unknownTopic(false);
    const failure = await createTopic(brokerWith([error]).admin, TOPIC).catch((caught: unknown) => caught);
    expect(failure).to.equal(error);
  });
});
