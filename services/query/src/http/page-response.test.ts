import { expect } from 'chai';
import { Page } from '../cache/page.ts';
import { Problem } from '../contract/problem.ts';
import { pageResponse } from './page-response.ts';

describe('page response', () => {
  const page = new Page({ body: Buffer.from('{}'), etag: 'W/"1"', link: '<?page=2>; rel="next"' });
  const plain = { encoding: undefined, bytes: Buffer.from('{}') };
  const legacy = { deprecation: '@1', link: '</docs>; rel="deprecation"' };
  const response = (ifNoneMatch?: string, ageSeconds = 0, deprecation?: typeof legacy) =>
    pageResponse(
      { page, ageSeconds },
      plain,
      { ifMatch: undefined, ifNoneMatch, legacy: deprecation, variesByHost: false },
      'max-age=5',
    );
  const headersOf = ({ headers }: { headers: string[] }) =>
    Object.fromEntries(
      headers.flatMap((name, i) => (i % 2 === 0 ? [[name.toLowerCase(), headers[i + 1]]] : [])),
    );

  it('has the headers of its page', () => {
    expect(response()).to.include({ status: 200, body: plain.bytes });
    expect(headersOf(response()))
      .to.include({ etag: 'W/"1"', 'content-length': '2', link: '<?page=2>; rel="next"' })
      .and.not.have.any.keys('age', 'deprecation');
  });

  it('includes an Age of one second or more', () =>
    expect(headersOf(response(undefined, 3))).to.include({ age: '3' }));

  it('adds the deprecation headers to those of the page', () => {
    const headers = headersOf(response(undefined, 0, legacy));
    expect(headers).to.include({
      deprecation: '@1',
      link: '</docs>; rel="deprecation", <?page=2>; rel="next"',
    });
    expect(page.link).to.equal('<?page=2>; rel="next"');
  });

  it('is 304 if the request lists the tag, with the headers of the 200 except those of the body', () => {
    for (const named of ['W/"1"', '"0", "1"', '*']) {
      expect(response(named)).to.include({ status: 304, body: undefined });
      const { 'content-type': _, 'content-length': __, ...kept } = headersOf(response());
      expect(headersOf(response(named))).to.deep.equal(kept);
    }
    expect(response('"2"').status).to.equal(200);
  });

  it('refuses a request whose If-Match lists a tag', () => {
    const match = (ifMatch: string) =>
      pageResponse(
        { page, ageSeconds: 0 },
        plain,
        { ifMatch, ifNoneMatch: undefined, legacy, variesByHost: false },
        'max-age=5',
      );
    expect(() => match('W/"1"'))
      .to.throw(Problem)
      .that.includes({ status: 412 });
    expect(match('*').status).to.equal(200);
  });

  it('has the content type of its page', () => {
    const text = new Page({ body: Buffer.from('x'), contentType: 'text/plain', etag: 'W/"2"' });
    expect(
      headersOf(
        pageResponse(
          { page: text, ageSeconds: 0 },
          plain,
          { ifMatch: undefined, ifNoneMatch: undefined, legacy: undefined, variesByHost: false },
          '',
        ),
      ),
    ).to.include({ 'content-type': 'text/plain' });
  });
});
