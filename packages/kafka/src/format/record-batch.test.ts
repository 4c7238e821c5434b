import { createRequire } from 'node:module';
import { expect } from 'chai';
import { withoutAborted } from '../fetch-response.ts';
import { HEADER_BYTES, type RecordBatch, recordBatches, recordsOf, recordTime } from './record-batch.ts';

// These tests read batches from the encoder of kafkajs, which shares no code with our decoder.
const require = createRequire(import.meta.url);
const { RecordBatch: encodeBatch } = require('kafkajs/src/protocol/recordBatch/v0/index.js');
const encodeRecord = require('kafkajs/src/protocol/recordBatch/record/v0/index.js');

interface Given {
  firstOffset?: number;
  lastOffsetDelta?: number;
  transactional?: boolean;
  producerId?: number;
  records?: { key: Buffer | null; value: Buffer | null; headers?: Record<string, unknown> }[];
}

const PLACE = { topic: 't', partition: 3 };
const FIRST_TIMESTAMP = 1_700_000_000_000;

async function encoded({
  firstOffset = 0,
  lastOffsetDelta,
  producerId = -1,
  records = [],
  ...rest
}: Given): Promise<Buffer> {
  const timestamps = { firstTimestamp: FIRST_TIMESTAMP, maxTimestamp: FIRST_TIMESTAMP + 5_000 };
  const { buffer } = await encodeBatch({
    ...rest,
    ...timestamps,
    firstOffset,
    producerId,
    lastOffsetDelta: lastOffsetDelta ?? records.length - 1,
    records: records.map((record, i) =>
      encodeRecord({ ...record, offsetDelta: i, timestampDelta: i * 1_000 - 500 }),
    ),
  });
  return Buffer.from(buffer);
}

const decoded = (batch: RecordBatch) => [...recordsOf(batch, batch.bytes.subarray(HEADER_BYTES), PLACE)];
const first = (set: Buffer): RecordBatch => recordBatches(set)[0] as RecordBatch;

describe('recordBatches', () => {
  it('reads the headers of all complete batches, and skips a truncated batch', async () => {
    const [a, b, c] = await Promise.all([
      encoded({
        firstOffset: 40,
        records: [{ key: null, value: Buffer.from('x') }],
        transactional: true,
        producerId: 7,
      }),
      encoded({ firstOffset: 41, lastOffsetDelta: 9, records: [] }),
      encoded({ firstOffset: 51, records: [{ key: null, value: null }] }),
    ]);
    const batches = recordBatches(Buffer.concat([a, b, c.subarray(0, -1)]));
    expect(batches.map(({ baseOffset, lastOffset, count }) => [baseOffset, lastOffset, count])).to.deep.equal(
      [
        [40n, 40n, 1],
        [41n, 50n, 0],
      ],
    );
    expect(batches[0]).to.include({
      isTransactional: true,
      isControl: false,
      producerId: 7n,
      codec: 0,
      magic: 2,
    });
    expect(batches[0]?.bytes.equals(a)).to.equal(true);
    expect(recordBatches(Buffer.alloc(0))).to.deep.equal([]);
  });
  it('refuses a length that would cause an endless loop', async () => {
    const set = await encoded({ records: [{ key: null, value: null }] });
    set.writeInt32BE(-12, 8);
    expect(() => recordBatches(set)).to.throw(/length field of a record batch is invalid/);
  });
  it('returns a message of an old format as one entry without decoding', async () => {
    const set = await encoded({ firstOffset: 9, records: [{ key: null, value: null }] });
    set.writeInt8(1, 16);
    expect(first(set)).to.include({ magic: 1, baseOffset: 9n, lastOffset: 9n, count: 1 });
  });
});

describe('recordsOf', () => {
  const records: NonNullable<Given['records']> = [
    {
      key: Buffer.from('a'),
      value: Buffer.from('first'),
      headers: { version: '2', ['__proto__']: 'p', constructor: 'c' },
    },
    { key: null, value: null, headers: { several: ['x', 'y', 'z'] } },
    { key: Buffer.from([0xff]), value: Buffer.alloc(300, 7) },
  ];

  it('returns the written keys, values, headers, offsets and times', async () => {
    const read = decoded(first(await encoded({ firstOffset: 2 ** 40, records })));
    expect(read.map(({ key, value }) => ({ key, value }))).to.deep.equal(
      records.map(({ key, value }) => ({ key, value })),
    );
    expect(read.map(({ offset }) => BigInt(offset) - 2n ** 40n)).to.deep.equal([0n, 1n, 2n]);
    expect(read.map(({ timestamp }) => timestamp - FIRST_TIMESTAMP)).to.deep.equal([-500, 500, 1_500]);
    expect(read.every(({ topic, partition }) => topic === 't' && partition === 3)).to.equal(true);
    expect(
      Object.entries(read[0]?.headers ?? {}).map(([name, value]) => [name, String(value)]),
    ).to.have.deep.members([
      ['version', '2'],
      ['constructor', 'c'],
      ['__proto__', 'p'],
    ]);
    expect(read[1]?.headers?.several).to.deep.equal(['x', 'y', 'z'].map((text) => Buffer.from(text)));
    expect(read[2]).not.to.have.property('headers');
  });
  it('gives all records the time of the batch if the broker sets the time', async () => {
    const set = await encoded({ records });
    set.writeInt16BE(0x08, 21);
    expect(decoded(first(set)).map(({ timestamp }) => timestamp - FIRST_TIMESTAMP)).to.deep.equal([
      5_000, 5_000, 5_000,
    ]);
  });
  it('reads ten thousand headers in linear time', async () => {
    const headers = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`h${i}`, 'x']));
    const [record] = decoded(first(await encoded({ records: [{ key: null, value: null, headers }] })));
    expect(Object.keys(record?.headers ?? {})).to.have.length(10_000);
  }).timeout(2_000);
  it('refuses a truncated record, a wrong length and a count that is too high', async () => {
    const batch = first(await encoded({ records }));
    const content = batch.bytes.subarray(HEADER_BYTES);
    const read = (bytes: Buffer, count = batch.count) => [...recordsOf({ ...batch, count }, bytes, PLACE)];
    expect(() => read(content.subarray(0, -1))).to.throw(RangeError);
    expect(() => read(content, 4)).to.throw(RangeError);
    const wrong = Buffer.from(content);
    wrong.writeUInt8(wrong.readUInt8(0) + 2, 0);
    expect(() => read(wrong)).to.throw(/length field of record \d+ is wrong/);
  });
});

describe('recordTime', () => {
  it('is the time in RFC 3339, in milliseconds', () => {
    expect(recordTime(0)).to.equal('1970-01-01T00:00:00.000Z');
    expect(recordTime(1_700_000_000_123)).to.equal('2023-11-14T22:13:20.123Z');
    expect(recordTime(253_402_300_799_999)).to.equal('9999-12-31T23:59:59.999Z');
  });
  it('is absent without a timestamp, and if it is after the year 9999, such as one in nanoseconds', () => {
    for (const timestamp of [-1, 253_402_300_800_000, 1_700_000_000_123_000_000, Number(2n ** 63n), NaN])
      expect(recordTime(timestamp), String(timestamp)).to.equal(undefined);
  });
});

describe('withoutAborted', () => {
  const CONTROL = 0x20 | 0x10;
  const data = async (firstOffset: number, producerId: number, transactional = true) =>
    first(
      await encoded({
        firstOffset,
        producerId,
        transactional,
        records: [{ key: null, value: Buffer.from('x') }],
      }),
    );
  const marker = async (firstOffset: number, producerId: number, isCommit: boolean) => {
    const set = await encoded({
      firstOffset,
      producerId,
      records: [{ key: Buffer.from([0, 0, 0, isCommit ? 1 : 0]), value: Buffer.alloc(6) }],
    });
    set.writeInt16BE(CONTROL, 21);
    return first(set);
  };
  const offsets = (readable: Set<RecordBatch>) => [...readable].map(({ baseOffset }) => Number(baseOffset));

  it('omits only markers and the records of aborted transactions', async () => {
    const batches = await Promise.all([
      data(0, 1),
      data(1, 2),
      data(2, -1, false),
      marker(3, 1, false),
      data(4, 1),
      marker(5, 2, true),
      marker(6, 1, true),
    ]);
    expect(offsets(withoutAborted(batches, [{ producerId: 1n, firstOffset: 0n }]))).to.deep.equal([1, 2, 4]);
    expect(offsets(withoutAborted(batches, []))).to.deep.equal([0, 1, 2, 4]);
  });
  it('omits aborted records of transactions that began before the fetched range', async () => {
    const batches = await Promise.all([data(100, 2), data(101, 1), marker(102, 2, false)]);
    const aborted = [
      { producerId: 1n, firstOffset: 50n },
      { producerId: 2n, firstOffset: 60n },
    ];
    expect(offsets(withoutAborted(batches, aborted))).to.deep.equal([]);
  });
});
