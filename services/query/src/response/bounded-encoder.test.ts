import { expect } from 'chai';
import { Page } from '../cache/page.ts';
import { boundedEncoder } from './content-encoding.ts';

describe('bounded encoder', () => {
  const pending = () => {
    const ends: { resolve(bytes: Buffer): void; reject(error: Error): void }[] = [];
    const encode = () => {
      const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
      ends.push({ resolve, reject });
      return promise;
    };
    return { encode, ends };
  };
  const content = (bytes: number) => Buffer.alloc(bytes);
  const settled = () => new Promise(setImmediate);

  it('accepts bodies up to its limit, and more after one is done or fails', async () => {
    const { encode, ends } = pending();
    const encoder = boundedEncoder(100, encode);
    const [one, two] = [encoder(content(60), 'br'), encoder(content(40), 'gzip')];
    expect([one, two]).not.to.include(undefined);
    expect(encoder(content(1), 'br')).to.equal(undefined);
    ends[0]?.resolve(content(1));
    await settled();
    const three = encoder(content(60), 'br');
    expect(three).not.to.equal(undefined);
    ends[1]?.reject(new Error('failed'));
    await two?.catch(() => undefined);
    expect(encoder(content(40), 'br')).not.to.equal(undefined);
  });

  it('encodes a single body beyond its limit', () => {
    expect(boundedEncoder(100, pending().encode)(content(1_000), 'br')).not.to.equal(undefined);
  });

  it('sends a page unencoded while the encoder is at its limit, and encodes it later', async () => {
    const { encode, ends } = pending();
    const encoder = boundedEncoder(3_000, encode);
    const [first, second] = [1, 2].map(
      (etag) => new Page({ body: content(2_000), etag: `W/"${etag}"` }, encoder),
    ) as [Page, Page];
    const encoding = first.body('br');
    expect((await second.body('br')).encoding).to.equal(undefined);
    ends[0]?.resolve(content(10));
    expect((await encoding).encoding).to.equal('br');
    const later = second.body('br');
    ends[1]?.resolve(content(10));
    expect((await later).encoding).to.equal('br');
  });
});
