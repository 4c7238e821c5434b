import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { RecordBatch } from './format/record-batch.ts';
import { type Chunk, readChunks } from './read-chunks.ts';

const MEBIBYTE = 1024 * 1024;
const NONE = { signal: new AbortController().signal, onWait: () => undefined };

/** Encodes records in message format 2 with these values, without keys and headers. */
function encodeRecords(values: readonly Buffer[]): Buffer {
  const parts = values.flatMap((value, i) => {
    const body = Buffer.concat([
      Buffer.from([0, 0]),
      varint(i),
      varint(-1),
      varint(value.length),
      value,
      varint(0),
    ]);
    return [varint(body.length), body];
  });
  return Buffer.concat(parts);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value >= 0 ? value * 2 : -value * 2 - 1;
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}

function batch(
  baseOffset: number,
  records: Buffer,
  count: number,
  { gzip = false, magic = 2 } = {},
): RecordBatch {
  const bytes = Buffer.concat([Buffer.alloc(61), gzip ? gzipSync(records) : records]);
  const lastOffset = BigInt(baseOffset + Math.max(0, count - 1));
  const times = {
    baseTimestamp: 1_000 + baseOffset,
    maxTimestamp: 2_000 + baseOffset,
    isLogAppendTime: false,
  };
  const flags = { isControl: false, isTransactional: false, producerId: -1n };
  return {
    baseOffset: BigInt(baseOffset),
    lastOffset,
    magic,
    codec: gzip ? 1 : 0,
    count,
    bytes,
    ...times,
    ...flags,
  };
}

const ofValues = (baseOffset: number, values: readonly string[], options = {}) =>
  batch(baseOffset, encodeRecords(values.map((value) => Buffer.from(value))), values.length, options);
const fetchedOf = (batches: RecordBatch[], from = 0n) => ({
  topic: 't',
  partition: 0,
  from,
  batches,
  end: (batches.at(-1)?.lastOffset ?? -1n) + 1n,
});

async function chunksOf(batches: RecordBatch[], from?: bigint): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for await (const chunk of readChunks(fetchedOf(batches, from), NONE)) chunks.push(chunk);
  return chunks;
}
const offsets = (chunks: Chunk[]) => chunks.map(({ records }) => records.map(({ offset }) => offset));

describe('readChunks', () => {
  it('collects the records of small batches from the requested offset', async () => {
    const chunks = await chunksOf([ofValues(10, ['a', 'b', 'c']), ofValues(13, ['d'], { gzip: true })], 12n);
    expect(offsets(chunks)).to.deep.equal([['12', '13']]);
    expect(chunks[0]).to.include({ end: 14n, count: 2, bytes: 2, first: 1_010, last: 1_013 });
  });
  it('limits the records of a chunk, and ends each chunk after its last record', async () => {
    const chunks = await chunksOf([ofValues(0, Array(4_500).fill('x'))]);
    expect(chunks.map(({ records, end }) => [records.length, end])).to.deep.equal([
      [3_000, 3_000n],
      [1_500, 4_500n],
    ]);
  });
  it('limits the bytes of a chunk, and puts a larger record into its own chunk', async () => {
    const values = ['x', 'x'.repeat(5 * MEBIBYTE), 'x'.repeat(3 * MEBIBYTE), 'x'.repeat(2 * MEBIBYTE)];
    expect(offsets(await chunksOf([ofValues(0, values)]))).to.deep.equal([['0'], ['1'], ['2'], ['3']]);
  });
  it('continues after batches without records', async () => {
    const chunks = await chunksOf([batch(5, Buffer.alloc(0), 0)]);
    expect(chunks).to.deep.equal([{ records: [], unreadable: [], count: 0, bytes: 0, end: 6n }]);
  });

  it('makes one dead letter of a batch with too many records, and reads its neighbors', async () => {
    const records = encodeRecords(Array(170_000).fill(Buffer.from('{}')));
    for (const gzip of [true, false]) {
      const large = batch(1, records, 170_000, { gzip });
      const chunks = await chunksOf([ofValues(0, ['a']), large, ofValues(170_001, ['b'])]);
      expect(offsets(chunks)).to.deep.equal([['0', '170001']]);
      const [deadLetter] = chunks[0]?.unreadable ?? [];
      expect(chunks[0]?.unreadable).to.have.length(1);
      expect(deadLetter?.record).to.deep.equal({
        topic: 't',
        partition: 0,
        offset: '1',
        key: null,
        value: large.bytes,
      });
      expect(deadLetter?.reason).to.equal('batch-too-large');
      expect(deadLetter?.detail).to.match(
        /170000 records \(offsets 1 to 170000, (gzip|not compressed), \d+ bytes\) would need more than 64 MiB/,
      );
      expect(chunks[0]?.count).to.equal(170_002);
    }
  });
  it('checks the number of records before it decompresses the batch', async () => {
    for (const codec of [1, 2, 3, 4]) {
      const lying = { ...ofValues(0, ['a']), codec, count: 200_000, bytes: Buffer.alloc(100) };
      expect((await chunksOf([lying]))[0]?.unreadable[0]?.reason, `codec ${codec}`).to.equal(
        'batch-too-large',
      );
    }
  });
  it('also checks the size of an uncompressed batch', async () => {
    const wide = { ...ofValues(0, ['a']), count: 150_000, bytes: Buffer.alloc(10 * MEBIBYTE) };
    expect((await chunksOf([wide]))[0]?.unreadable[0]?.reason).to.equal('batch-too-large');
  });
  it('makes one dead letter of a batch whose decompressed size exceeds the limit', async () => {
    const bomb = batch(0, Buffer.alloc(65 * MEBIBYTE), 1, { gzip: true });
    expect(bomb.bytes.length).to.be.below(100_000);
    const [chunk] = await chunksOf([bomb, ofValues(1, ['b'])]);
    expect(chunk?.unreadable.map(({ reason }) => reason)).to.deep.equal(['batch-too-large']);
    expect(chunk?.records).to.have.length(1);
  });
  it('makes one dead letter of a batch that is damaged or has an unknown codec or format', async () => {
    const damaged = ofValues(0, ['a', 'b'], { gzip: true });
    damaged.bytes.fill(0, 70);
    const cut = { ...ofValues(2, ['a', 'b']), count: 3, lastOffset: 4n };
    const unknown = { ...ofValues(5, ['a']), codec: 6 };
    const chunks = await chunksOf([
      damaged,
      cut,
      unknown,
      ofValues(6, ['x'], { magic: 1 }),
      ofValues(7, ['b']),
    ]);
    expect(
      chunks.flatMap(({ unreadable }) => unreadable.map(({ reason, record }) => [reason, record.offset])),
    ).to.deep.equal(['0', '2', '5', '6'].map((offset) => ['undecodable-batch', offset]));
    // The records before the damage are readable, so they are delivered too.
    expect(offsets(chunks)).to.deep.equal([['2', '3', '7']]);
    expect(chunks.at(-1)?.end).to.equal(8n);
  });

  describe('a large batch', () => {
    const large = () => ofValues(1, ['x'.repeat(9 * MEBIBYTE), 'y'], { gzip: true });

    it('shares no chunk with another batch', async () => {
      const chunks = await chunksOf([ofValues(0, ['a']), large(), ofValues(3, ['b'])]);
      expect(offsets(chunks)).to.deep.equal([['0'], ['1'], ['2'], ['3']]);
    });
    it('waits for another large batch, reports the wait each second, and continues afterwards', async () => {
      const reading = readChunks(fetchedOf([large()]), NONE);
      await reading.next();
      const told = Promise.withResolvers<void>();
      const next = readChunks(fetchedOf([large()]), { ...NONE, onWait: told.resolve });
      let isRead = false;
      const waiting = next.next().finally(() => {
        isRead = true;
      });
      try {
        const small = await chunksOf([ofValues(0, ['a'], { gzip: true })]);
        expect(offsets(small), 'a small batch does not wait').to.deep.equal([['0']]);
        await told.promise;
        expect(isRead).to.equal(false);
      } finally {
        // Otherwise, large batches of other tests would wait for this batch.
        await reading.return(undefined);
      }
      expect((await waiting).value?.records).to.have.length(1);
      await next.return(undefined);
    });
    it('leaves the queue when the partition is reassigned', async () => {
      const reading = readChunks(fetchedOf([large()]), NONE);
      await reading.next();
      const controller = new AbortController();
      const waiting = readChunks(fetchedOf([large()]), {
        signal: controller.signal,
        onWait: () => undefined,
      }).next();
      controller.abort(new Error('given away'));
      expect(await waiting.catch((error: Error) => error.message)).to.equal('given away');
      await reading.return(undefined);
      expect(offsets(await chunksOf([large()]))).to.deep.equal([['1'], ['2'], []]);
    });
  });
});
