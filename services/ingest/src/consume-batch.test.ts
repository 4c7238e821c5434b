import {
  type FetchedRecord,
  KafkaError,
  type KafkaProducer,
  type Message,
  type PartitionBatch,
} from '@vitrine/kafka';
import type { DeadLetter } from '@vitrine/projection/dead-letters';
import { DeadLetterSink } from '@vitrine/projection/dead-letters';
import { Pauses } from '@vitrine/projection/progress';
import { createLog } from '@vitrine/runtime/log';
import { expect } from 'chai';
import { type ChunkReader, consumeBatch, type TopicIngest } from './consume-batch.ts';
import { type Decoder, DecoderUnavailableError } from './formats/format.ts';
import { jsonDecoder } from './formats/json.ts';
import type { MappingRecord } from './mapping.ts';
import { createMetrics } from './metrics.ts';

const record = (offset: number, value: unknown): FetchedRecord => ({
  topic: 'source',
  partition: 0,
  offset: String(offset),
  timestamp: 1_000,
  key: Buffer.from('a'),
  value: Buffer.from(JSON.stringify(value)),
});

const kafkaError = (code: string) => new KafkaError(code, { cause: undefined, code, retriable: true });

/** Runs a batch of these records, and notes what happens in which order. */
async function run(
  records: FetchedRecord[],
  send: (messages: readonly Message[], attempt: number) => Promise<void>,
  decoder: Decoder = jsonDecoder,
  writing: () => Promise<void> = async () => undefined,
) {
  const log: string[] = [];
  const written: DeadLetter[] = [];
  const sent: Message[] = [];
  const pauses = new Pauses();
  let attempts = 0;
  const producer = {
    send: async ({ messages }: { messages: readonly Message[] }) => {
      log.push('send');
      await send(messages, ++attempts);
      sent.push(...messages);
      log.push('acknowledged');
      return [];
    },
  } as unknown as KafkaProducer;
  const metrics = createMetrics(['source']);
  const ingest: TopicIngest = {
    mapping: {
      topics: ['source'],
      format: 'json',
      map: ({ value, offset }: MappingRecord) =>
        (value as string[]).map((title) => ({
          kind: 'changed',
          id: 'a',
          version: offset + 1,
          fields: { title },
        })),
    },
    decoder,
    eventsTopic: 'events',
    producer,
    deadLetters: new DeadLetterSink(async (deadLetters) => {
      await writing();
      log.push('dead letters');
      written.push(...deadLetters);
    }),
    versionBound: undefined,
    pauses,
    metrics,
    log: createLog('test', 'silent'),
    onProgress: () => void log.push('progress'),
    onReading: () => undefined,
  };
  const end = BigInt(records.length);
  const readChunks: ChunkReader = async function* () {
    yield { records, unreadable: [], count: records.length, bytes: 1, end };
  };
  const batch = {
    topic: 'source',
    topicId: 'id',
    partition: 0,
    signal: new AbortController().signal,
    commit: async (offset: bigint) => void log.push(`commit ${offset}`),
  } as unknown as PartitionBatch;
  await consumeBatch(ingest, batch, readChunks);
  const progress = log.filter((step) => step === 'progress').length;
  return { log: log.filter((step) => step !== 'progress'), progress, written, sent, pauses, metrics };
}

describe('consumeBatch', () => {
  it('commits only after Kafka has acknowledged the events and the dead letters are written', async () => {
    const bad = { ...record(1, ''), value: Buffer.from('{') };
    const { log, sent, written } = await run([record(0, ['x', 'y']), bad], async () => undefined);
    expect(log).to.deep.equal(['send', 'acknowledged', 'dead letters', 'commit 2']);
    expect(sent).to.have.length(2);
    expect(written.map(({ reason, record: { offset, topicId } }) => [reason, offset, topicId])).to.deep.equal(
      [['undecodable', '1', 'id']],
    );
  });

  it('repeats a request that Kafka does not accept, and commits nothing before', async () => {
    const { log, pauses, metrics } = await run([record(0, ['x'])], async (_, attempt) => {
      if (attempt < 3) throw kafkaError('NOT_ENOUGH_REPLICAS');
    });
    expect(log).to.deep.equal(['send', 'send', 'send', 'acknowledged', 'commit 1']);
    expect(pauses.any(), 'resumed').to.equal(false);
    expect((await metrics.retries.get()).values[0]?.value).to.equal(2);
  });

  it('repeats the writing of dead letters while Kafka delays it, and ends if the topic is missing', async () => {
    const bad = { ...record(0, ''), value: Buffer.from('{') };
    const refusals = ['NOT_ENOUGH_REPLICAS', 'REQUEST_TIMED_OUT'];
    const writing = async () => {
      const code = refusals.shift();
      if (code) throw new Error('could not write', { cause: kafkaError(code) });
    };
    const { log, pauses } = await run([bad], async () => undefined, jsonDecoder, writing);
    expect(log).to.deep.equal(['dead letters', 'commit 1']);
    expect(pauses.any(), 'resumed').to.equal(false);
    for (const code of ['UNKNOWN_TOPIC_OR_PARTITION', 'MESSAGE_TOO_LARGE']) {
      refusals.push(code);
      const end = await run([bad], async () => undefined, jsonDecoder, writing).catch(
        (error: Error) => error,
      );
      expect(end).to.have.property('message', 'could not write');
    }
  });

  it('repeats the decoding while the schema registry is unavailable', async () => {
    let calls = 0;
    const { sent } = await run([record(0, ['x'])], async () => undefined, {
      decode: async (bytes, part) => {
        if (part === 'value' && ++calls < 3) throw new DecoderUnavailableError('no');
        return jsonDecoder.decode(bytes, part);
      },
    });
    expect([calls, sent.length]).to.deep.equal([3, 1]);
  });

  it('makes progress with each answer of the schema registry, because each record may need one', async () => {
    const decoder: Decoder = { decode: async () => [] };
    const { progress } = await run([record(0, []), record(1, [])], async () => undefined, decoder);
    expect(progress).to.equal(3);
  });

  it('halves a request that is too large, and makes a dead letter only of the record with the large event', async () => {
    const { sent, written, log } = await run(
      [record(0, ['x']), record(1, ['large']), record(2, ['y'])],
      async (messages) => {
        if (messages.some(({ value }) => String(value).includes('large')))
          throw kafkaError('MESSAGE_TOO_LARGE');
      },
    );
    expect(sent.map(({ value }) => JSON.parse(String(value)).data.changes.title)).to.have.members(['x', 'y']);
    expect(written.map(({ reason, record: { offset } }) => [reason, offset])).to.deep.equal([
      ['refused-by-topic', '1'],
    ]);
    expect(log.at(-1)).to.equal('commit 3');
  });

  it('publishes no event of a record if one of its events is invalid', async () => {
    const { sent, written } = await run([record(0, ['x', 5]), record(1, ['y'])], async () => undefined);
    expect(sent).to.have.length(1);
    expect(written[0]).to.have.property('reason', 'schema');
    expect(written[0]?.detail).to.match(/^event 2 of 2: \/data\/changes\/title/);
  });
});
