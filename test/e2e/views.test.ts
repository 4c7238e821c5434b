import { generateItems, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { ask } from '../contract/http-answer.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';

/** The URLs of scripts and styles in a page. */
const filesOf = (html: string, page: string): string[] =>
  [...html.matchAll(/(?:src|href)="([^"]*web\/[^"]*)"/g)].map(([, url = '']) => new URL(url, page).href);

describe('the explorer over HTTP', () => {
  let deployment: QueryDeployment;
  const get = (path: string, options: Parameters<typeof ask>[1] = {}) =>
    ask(`${deployment.origin}${path}`, options);

  before(async () => {
    deployment = await startQuery({ env: { FEED_TODAY: TODAY } });
    await deployment.createIndex(generateItems(3));
  });
  after(() => deployment.close());

  for (const path of ['/', '/api/', '/?city=recife']) {
    it(`${path} is a page that may load scripts and styles only from its own origin`, async () => {
      const { status, headers, text } = await get(path);
      expect(status).to.equal(200);
      expect(headers['content-type']).to.equal('text/html; charset=utf-8');
      const policy = String(headers['content-security-policy']);
      expect(policy.split('; ')).to.include.members([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
      ]);
      expect(policy).not.to.include('unsafe');
      expect(text).not.to.match(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/);
    });
  }

  it('its files are compressed, may be kept forever, and are small', async () => {
    const files = filesOf((await get('/')).text, `${deployment.origin}/`);
    expect(files).to.have.lengthOf(2);
    for (const url of files) {
      const { status, headers } = await ask(url, { headers: { 'accept-encoding': 'gzip' } });
      expect(status, url).to.equal(200);
      expect(headers['cache-control']).to.equal('public, max-age=31536000, immutable');
      expect(headers['content-encoding']).to.equal('gzip');
      expect(Number(headers['content-length'])).to.be.below(60_000);
    }
  });

  it('has a tag for a conditional request, and answers HEAD and OPTIONS', async () => {
    const { etag = '' } = (await get('/')).headers;
    expect((await get('/', { headers: { 'if-none-match': etag } })).status).to.equal(304);
    const head = await get('/', { method: 'HEAD' });
    expect([head.status, head.text]).to.deep.equal([200, '']);
    const options = await get('/', { method: 'OPTIONS' });
    expect([options.status, options.headers.allow]).to.deep.equal([204, 'GET, HEAD, OPTIONS']);
    const posted = await get('/', { method: 'POST' });
    expect([posted.status, posted.headers.allow]).to.deep.equal([405, 'GET, HEAD, OPTIONS']);
  });

  it('the base path without a slash leads to the base path with a slash, with its query', async () => {
    const { status, headers } = await get('/api?city=recife');
    expect(status).to.equal(308);
    const target = new URL(headers.location ?? '', `${deployment.origin}/api`);
    expect(target.pathname + target.search).to.equal('/api/?city=recife');
  });

  it('a page of another release receives the files of this release, which no cache keeps', async () => {
    const [script = ''] = filesOf((await get('/')).text, `${deployment.origin}/`).filter((url) =>
      url.endsWith('.js'),
    );
    const other = await ask(script.replace(/-[0-9a-f]{12}/, '-000000000000'));
    expect([other.status, other.headers['cache-control']]).to.deep.equal([200, 'no-store']);
    expect(other.text).to.equal((await ask(script)).text);
    for (const path of ['/', '/api/docs', '/api/docs/guides/agents'])
      expect((await get(path)).headers['cache-control'], path).to.equal('public, no-cache');
  });

  it('no other file is served', async () => {
    for (const path of [
      'manifest.json',
      '../package.json',
      '%2e%2e%2fmanifest.json',
      'explorer.js',
      'site-000000000000.json',
    ])
      expect((await get(`/api/web/${path}`)).status, path).to.equal(404);
  });
});
