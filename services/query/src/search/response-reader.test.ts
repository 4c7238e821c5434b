import { Readable } from 'node:stream';
import { expect } from 'chai';
import { pageBytesOf, ResponseReader } from './response-reader.ts';
import { PageTooLarge } from './search-failure.ts';
import { Overloaded } from './search-limiter.ts';

const MIB = 1024 * 1024;

describe('response reader', () => {
  const failure = (reading: Promise<Buffer>) =>
    reading.then(
      () => undefined,
      (error: unknown) => error,
    );
  const hit = JSON.stringify({
    _source: { id: 'a', feed_item: { title: 'x'.repeat(60) }, calendar: [] },
    sort: [1, 'a'],
  });
  const response = (hits: number) =>
    Buffer.from(`{"took":1,"hits":{"hits":[${Array.from({ length: hits }, () => hit).join(',')}]}}`);
  /** A stream of the bytes in pieces of 50, and the number of pieces that were read. */
  const streamOf = (bytes: Buffer) => {
    let given = 0;
    const stream = new Readable({
      highWaterMark: 1,
      read() {
        this.push(given < bytes.length ? bytes.subarray(given, given + 50) : null);
        given += 50;
      },
    });
    return { stream, given: () => given };
  };

  it('reads a response within the limit', async () => {
    const bytes = response(3);
    expect(await new ResponseReader(bytes.length).read(streamOf(bytes).stream, 100)).to.deep.equal(bytes);
  });

  it('ends a stream that exceeds the limit, and reports the number of items that fit', async () => {
    const { stream, given } = streamOf(response(100));
    const error = (await failure(new ResponseReader(3.5 * hit.length).read(stream, 100))) as PageTooLarge;
    expect(error).to.be.instanceOf(PageTooLarge);
    expect([error.items, error.limit]).to.deep.equal([3, 3.5 * hit.length]);
    expect(stream.destroyed).to.equal(true);
    expect(given()).to.be.below(5 * hit.length);
  });

  it('reports that no items fit if the first exceeds the limit', async () => {
    const error = await failure(new ResponseReader(100).read(streamOf(response(3)).stream, 3));
    expect(error).to.include({ items: 0 });
  });

  it('reads a single item and the extra item of a cursor far beyond the limit', async () => {
    const bytes = response(2);
    expect(await new ResponseReader(100).read(streamOf(bytes).stream, 2)).to.deep.equal(bytes);
    const endless = Readable.from(
      (function* () {
        for (;;) yield Buffer.alloc(MIB);
      })(),
    );
    expect(await failure(new ResponseReader(100).read(endless, 1))).to.include({ limit: 24 * MIB });
  });

  it('reads one very large response at a time', async () => {
    const reader = new ResponseReader(100);
    const bytes = response(2);
    const slow = new Readable({ read: () => undefined });
    const first = reader.read(slow, 1);
    slow.push(Buffer.alloc(101));
    await new Promise(setImmediate);
    expect(await failure(reader.read(streamOf(bytes).stream, 1))).to.be.instanceOf(Overloaded);
    slow.push(null);
    await first;
    expect(await reader.read(streamOf(bytes).stream, 1)).to.deep.equal(bytes);
  });

  it('passes on the error of a broken stream', async () => {
    const broken = new Readable({ read: () => undefined });
    const reading = failure(new ResponseReader(100).read(broken, 1));
    broken.destroy(new Error('reset'));
    expect(await reading).to.have.property('message', 'reset');
  });

  it('reports a stream that ends early as a connection error', async () => {
    const open = () => new Readable({ read: () => undefined });
    const [early, late] = [open(), open()];
    early.destroy();
    const reading = failure(new ResponseReader(100).read(late, 1));
    late.push(Buffer.from('{'));
    late.destroy();
    for (const error of [await failure(new ResponseReader(100).read(early, 1)), await reading])
      expect(error).to.have.property('code', 'ERR_STREAM_PREMATURE_CLOSE');
  });

  it('limits all concurrent pages to half of the heap', () => {
    expect(pageBytesOf(16, 304 * MIB)).to.equal(8 * MIB);
    for (const concurrency of [1, 16, 19, 64, 128]) {
      const bytes = pageBytesOf(concurrency, 256 * MIB);
      expect(bytes * concurrency, `${concurrency}`).to.be.at.most(128 * MIB);
      expect(bytes).to.be.within(MIB, 8 * MIB);
    }
    expect(pageBytesOf(1_000, 256 * MIB), 'a page of usual items always fits').to.equal(MIB);
  });
});
