import { generateItems, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { ask } from '../contract/http-answer.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';

describe('the documentation over HTTP', () => {
  let deployment: QueryDeployment;
  const get = (path: string, options: Parameters<typeof ask>[1] = {}) =>
    ask(`${deployment.origin}${path}`, options);

  before(async () => {
    deployment = await startQuery({ env: { FEED_TODAY: TODAY } });
    await deployment.createIndex(generateItems(3));
  });
  after(() => deployment.close());

  it('a page has a tag for a conditional request, and answers HEAD and OPTIONS', async () => {
    for (const path of ['/api/docs', '/api/docs/pt-BR/guides/crawlers', '/api/docs/reference/getExport']) {
      const { status, headers } = await get(path);
      expect([status, headers['content-type'], headers['cache-control']], path).to.deep.equal([
        200,
        'text/html; charset=utf-8',
        'public, no-cache',
      ]);
      const unchanged = await get(path, { headers: { 'if-none-match': headers['etag'] ?? '' } });
      expect([unchanged.status, unchanged.text], path).to.deep.equal([304, '']);
      expect((await get(path, { method: 'HEAD' })).status, path).to.equal(200);
      expect((await get(path, { method: 'OPTIONS' })).headers['allow'], path).to.equal('GET, HEAD, OPTIONS');
      expect((await get(path, { method: 'POST' })).status, path).to.equal(405);
    }
  });

  it('no page allows or contains inline scripts or styles, except for its one style sheet', async () => {
    for (const path of ['/api/docs', '/api/docs/guides/none', '/api/docs/reference/getExport']) {
      const { headers, text } = await get(path);
      const policy = headers['content-security-policy'] ?? '';
      expect(policy, path).to.include("script-src 'self';").and.not.to.include('unsafe-inline');
      expect(text, path).not.to.match(/<script(?![^>]* src=)|\sstyle=|\son\w+=/);
    }
  });

  it('earlier addresses lead to the pages that replace them', async () => {
    for (const [from, to] of [
      ['/api/docs/plain', '/api/docs/reference'],
      ['/api/docs/crawlers', '/api/docs/guides/crawlers'],
      ['/api/docs/agents?x=1', '/api/docs/guides/agents?x=1'],
      ['/api/docs/', '/api/docs'],
      ['/api/docs/pt-BR/guides/agents/', '/api/docs/pt-BR/guides/agents'],
    ] as const) {
      const { status, headers } = await get(from);
      const target = new URL(headers['location'] ?? '', `${deployment.origin}${from}`);
      expect([status, target.pathname + target.search], from).to.deep.equal([308, to]);
      expect((await get(to)).status, to).to.equal(200);
    }
  });

  it('an unknown page is a page with status 404, whatever its address contains', async () => {
    for (const path of [
      '/api/docs/nothing',
      '/api/docs/pt-BR/errors/nothing',
      '/api/docs/..%2f..%2fetc',
      '/api/docs/__proto__',
      '/api/docs/%ff',
      '/api/docs/<b>',
      '/api/docs//evil.example/',
      `/api/docs${'/a'.repeat(2_000)}`,
    ]) {
      const { status, headers, text } = await get(encodeURI(path).replaceAll('%25', '%'));
      expect(status, path).to.be.oneOf([308, 404]);
      expect(text.length, path).to.be.below(40_000);
      if (status === 308) {
        const target = new URL(headers['location'] ?? '', `${deployment.origin}${path}`);
        expect(target.origin, path).to.equal(deployment.origin);
      } else if (headers['content-type']?.includes('html')) {
        expect(headers['cache-control'], path).to.equal('no-store');
        expect(text, path).not.to.include('evil').and.not.to.include('<b>');
      }
    }
  });

  it('examples and links follow PUBLIC_URL and BASE_PATH', async () => {
    const own = await startQuery({
      env: {
        FEED_TODAY: TODAY,
        INDEX_PREFIX: deployment.prefix,
        BASE_PATH: '/',
        PUBLIC_URL: 'https://feeds.example.com/x',
      },
    });
    try {
      const { text, headers } = await ask(`${own.origin}/docs/pt-BR/guides/crawlers`);
      expect(text).to.include('https://feeds.example.com/x/public-feed');
      expect(text)
        .not.to.include(own.origin)
        .and.not.to.match(/%[A-Z]+%/);
      expect(headers['vary']).to.equal('Accept-Encoding');
      for (const [, href = ''] of text.matchAll(/href="(\.[^"#]*)"/g)) {
        const url = new URL(href, `${own.origin}/docs/pt-BR/guides/crawlers`);
        expect((await ask(url.href)).status, href).to.equal(200);
      }
    } finally {
      await own.close();
    }
  });
});
