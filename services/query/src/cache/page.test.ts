import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { Page } from './page.ts';

describe('page', () => {
  const body = Buffer.from(JSON.stringify('x'.repeat(5_000)));
  const pageOf = (content: Buffer) => new Page({ body: content, etag: 'W/"1"' });

  it('encodes its body once per encoding, on the first request for it', async () => {
    const page = pageOf(body);
    expect(page.existingBody('gzip')).to.equal(undefined);
    const [one, two] = await Promise.all([page.body('gzip'), page.body('gzip')]);
    expect(one).to.equal(two);
    expect(page.existingBody('gzip')).to.equal(one);
    expect(gunzipSync(one.bytes)).to.deep.equal(body);
  });

  it('includes its encodings in its size', async () => {
    const page = pageOf(body);
    const { size } = page;
    const { bytes } = await page.body('br');
    expect(page.size).to.equal(size + bytes.length);
  });

  it('is encoded only if it is large enough', () => {
    expect(pageOf(body).encodingFor('br')).to.equal('br');
    expect(pageOf(Buffer.from('{}')).encodingFor('br')).to.equal(undefined);
  });
});
