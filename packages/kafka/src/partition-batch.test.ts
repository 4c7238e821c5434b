import { createRequire } from 'node:module';
import { expect } from 'chai';
import kafkajs, { type EachBatchPayload } from 'kafkajs';
import { toPartitionBatch } from './partition-batch.ts';

interface Manager {
  resolveOffset(position: { topic: string; partition: number; offset: string }): void;
  commitOffsets(offsets: object): Promise<void>;
  nextOffset(topic: string, partition: number): { toString(): string };
}
type ManagerClass = new (options: object) => Manager;
// The part of kafkajs that changes during a batch when another broker's fetcher joins the group.
const OffsetManager = createRequire(import.meta.url)(
  'kafkajs/src/consumer/offsetManager/index.js',
) as ManagerClass;

const ID = 'ABEiM0RVZneImaq7zN3u_w';

describe('toPartitionBatch', () => {
  const committed: string[] = [];
  let manager: Manager;
  let joins = 0;

  /** Replaces the state of the group, as kafkajs does at the end of a join. */
  const join = (memberAssignment: Record<string, number[]>) => {
    joins++;
    manager = new OffsetManager({
      cluster: { committedOffsets: () => ({}) },
      coordinator: {
        isConnected: () => true,
        offsetCommit: async ({
          topics,
        }: {
          topics: { partitions: { offset: string; metadata: string }[] }[];
        }) => {
          await onCommit();
          const { offset, metadata } = topics[0]?.partitions[0] ?? {};
          committed.push(`${offset} of ${metadata}`);
        },
      },
      memberAssignment,
      topicConfigurations: {},
      instrumentationEmitter: { emit: () => undefined },
      groupId: 'g',
      generationId: joins,
      memberId: 'm',
    });
  };
  let onCommit: () => Promise<void>;
  const positions: string[] = [];

  const batchOf = () => {
    const joined = joins;
    const payload = {
      batch: { topic: 't', partition: 0, fetchedOffset: '5', messages: [], lastOffset: () => '9' },
      resolveOffset: (offset: string) => manager.resolveOffset({ topic: 't', partition: 0, offset }),
      commitOffsetsIfNecessary: (offsets: object) => manager.commitOffsets(offsets),
    };
    const onPosition = (_: number, offset: string, timestamp?: number) =>
      void positions.push(`${offset}@${timestamp}`);
    const signal = new AbortController().signal;
    const isAssigned = () => joins === joined;
    const options = { topicId: ID, signal, keepOffsets: true, isAssigned, onPosition };
    return toPartitionBatch(payload as unknown as EachBatchPayload, options);
  };

  beforeEach(() => {
    committed.length = 0;
    positions.length = 0;
    onCommit = async () => undefined;
    join({ t: [0] });
  });

  it('commits with the id of the topic, continues and reports the position', async () => {
    const batch = batchOf();
    expect(batch).to.include({ topic: 't', partition: 0, from: 5n, end: 10n });
    await batch.commit(8n, 1_000);
    expect(committed).to.deep.equal([`8 of topic-id=${ID}`]);
    expect(positions).to.deep.equal(['8@1000']);
    expect(String(manager.nextOffset('t', 0))).to.equal('8');
  });
  it('commits nothing after it has rejoined the group, because another consumer may be ahead', async () => {
    const batch = batchOf();
    join({ t: [0] });
    const error = await batch.commit(8n).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(kafkajs.KafkaJSError);
    expect([committed, positions]).to.deep.equal([[], []]);
  });
  it('reports a rebalance, and not a TypeError of kafkajs, if a commit loses all partitions', async () => {
    const batch = batchOf();
    onCommit = async () => join({});
    const error = await batch.commit(8n).catch((thrown: unknown) => thrown);
    expect(
      () => manager.resolveOffset({ topic: 't', partition: 0, offset: '7' }),
      'the behavior of kafkajs',
    ).to.throw(TypeError);
    expect(error).to.be.instanceOf(kafkajs.KafkaJSError);
    expect(positions).to.deep.equal([]);
  });
});
