import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { Page } from './page.ts';

describe('page', () => {
  const body = Buffer.from(JSON.stringify('x'.repeat(5_000)));
  const pageOf = (content: Buffer) => new Page({ body: content, etag: 'W/"1"' });

  it('makes a coding when it is asked for, once', async () => {
    const page = pageOf(body);
    expect(page.ready('gzip')).to.equal(undefined);
    const [one, two] = await Promise.all([page.in('gzip'), page.in('gzip')]);
    expect(one).to.equal(two);
    expect(page.ready('gzip')).to.equal(one);
    expect(gunzipSync(one.bytes)).to.deep.equal(body);
  });

  it('grows with its codings', async () => {
    const page = pageOf(body);
    const { size } = page;
    const { bytes } = await page.in('br');
    expect(page.size).to.equal(size + bytes.length);
  });

  it('is coded only where that is worth it', () => {
    expect(pageOf(body).codingFor('br')).to.equal('br');
    expect(pageOf(Buffer.from('{}')).codingFor('br')).to.equal(undefined);
  });
});
