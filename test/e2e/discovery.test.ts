import { day, generateItems, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { ask, type HttpAnswer } from '../contract/http-answer.ts';
import { createChangesIndex, deleteChanges, writeEntries } from '../support/changes-index.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';

const SHORT = 'public, max-age=300';
const HOUR = 'public, max-age=3600';
/** The content type and the Cache-Control value of each document. */
const DOCUMENTS = [
  ['/llms.txt', 'text/plain; charset=utf-8', SHORT],
  ['/robots.txt', 'text/plain; charset=utf-8', SHORT],
  ['/sitemap.xml', 'application/xml; charset=utf-8', SHORT],
  ['/.well-known/ai-catalog.json', 'application/ai-catalog+json', HOUR],
  ['/mcp/server-card', 'application/mcp-server-card+json', HOUR],
] as const;
const FEEDS = ['/public-feed', '/public-feed/rent', '/ai-feed', '/ai-feed/sale'];

/** The URLs of Markdown links and of sitemap locations. */
const urlsOf = (text: string): string[] =>
  [...text.matchAll(/\]\(([^)]+)\)|<loc>([^<]+)<\/loc>/g)].map(
    ([, link, location]) => link ?? location ?? '',
  );
/** The absolute URL of each relation in a Link header. */
const relationsOf = ({ headers: { link = '' } }: HttpAnswer, url: string): Record<string, string> =>
  Object.fromEntries(
    [...link.matchAll(/<([^>]*)>; rel="([^"]+)"/g)].map(([, target = '', relation = '']) => [
      relation,
      new URL(target, url).href,
    ]),
  );

describe('discovery', () => {
  let deployment: QueryDeployment;
  const get = (path: string, headers: Record<string, string> = {}) =>
    ask(`${deployment.origin}${path}`, { headers });

  before(async () => {
    deployment = await startQuery({ env: { FEED_TODAY: TODAY } });
    const items = generateItems(100);
    await deployment.createIndex(items);
    const { elasticsearch, prefix } = deployment;
    await createChangesIndex(elasticsearch, prefix, 1, 1);
    await writeEntries(
      elasticsearch,
      prefix,
      1,
      items.map(({ id }) => [id, 'updated'] as const),
    );
  });
  after(async () => {
    if (!deployment) return;
    await deleteChanges(deployment.elasticsearch, deployment.prefix);
    await deployment.close();
  });

  it('every link of llms.txt and of the sitemap returns 200 without a redirect', async () => {
    for (const path of ['/llms.txt', '/sitemap.xml']) {
      const urls = urlsOf((await get(path)).text);
      expect(urls, path).to.have.lengthOf.at.least(8);
      for (const url of urls) {
        expect(url.startsWith(`${deployment.origin}/`), url).to.equal(true);
        expect((await ask(url)).status, url).to.equal(200);
      }
    }
  });

  it('every link works behind a proxy that strips the prefix of PUBLIC_URL', async () => {
    const publicUrl = 'https://feeds.example.com/x';
    const own = await startQuery({
      env: { FEED_TODAY: TODAY, INDEX_PREFIX: deployment.prefix, PUBLIC_URL: publicUrl, BASE_PATH: '/v1' },
    });
    try {
      const read = (path: string) => ask(`${own.origin}${path}`, { headers: { host: 'other.example' } });
      const catalog = JSON.parse((await read('/.well-known/ai-catalog.json')).text);
      const card = JSON.parse((await read('/mcp/server-card')).text);
      const [, sitemap = ''] = /^Sitemap: (.*)$/m.exec((await read('/robots.txt')).text) ?? [];
      const urls = [
        ...urlsOf((await read('/llms.txt')).text),
        ...urlsOf((await read('/sitemap.xml')).text),
        catalog.entries[0].url,
        sitemap,
      ];
      for (const url of urls) {
        expect(url.startsWith(`${publicUrl}/`), url).to.equal(true);
        expect((await ask(url.replace(publicUrl, own.origin))).status, url).to.equal(200);
      }
      expect(urls).to.include(`${publicUrl}/v1/ai-feed`);
      expect(card.remotes[0].url).to.equal(`${publicUrl}/mcp`);
      expect(card.name).to.equal('com.example.feeds/vitrine');
    } finally {
      await own.close();
    }
  });

  it('the recipe of llms.txt finds items, and their neighboring dates', async () => {
    const { text } = await get('/llms.txt');
    const [, request = ''] = /^1\. Send `GET ([^`]+)`/m.exec(text) ?? [];
    const dated = (first: string, last: string) =>
      request.replace('date=YYYY-MM-DD', `date=${first}`).replace('date_to=YYYY-MM-DD', `date_to=${last}`);
    const found = JSON.parse((await ask(dated(day(4), day(5)).replace('city=sao-paulo&', ''))).text);
    expect(found.data).to.have.lengthOf.within(1, 5);
    for (const { availability } of found.data)
      expect(
        availability.map(({ date, available }: { date: string; available: boolean }) => [date, available]),
      ).to.deep.equal([
        [day(4), true],
        [day(5), true],
      ]);
    const missing = JSON.parse((await ask(dated(day(4), day(5)).replace('sao-paulo', 'nowhere'))).text);
    expect(missing.meta.total).to.equal(0);
    expect(missing.meta.availability.map(({ date }: { date: string }) => date)).to.deep.equal(
      [1, 2, 3, 4, 5, 6, 7, 8].map(day),
    );
  });

  it('the server card describes the MCP server', async () => {
    const card = JSON.parse((await get('/mcp/server-card')).text);
    const [{ url, supportedProtocolVersions }] = card.remotes;
    for (const protocolVersion of supportedProtocolVersions.slice(1)) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'initialize',
          params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
        }),
      });
      const { result } = (await response.json()) as {
        result: { protocolVersion: string; serverInfo: { name: string; title: string; version: string } };
      };
      expect(result.protocolVersion).to.equal(protocolVersion);
      const { name, title, version } = result.serverInfo;
      expect([card.name.split('/')[1], card.title, card.version]).to.deep.equal([name, title, version]);
    }
  });

  for (const [path, type, cacheControl] of DOCUMENTS)
    it(`${path} answers GET, HEAD and OPTIONS only, and can be cached`, async () => {
      const answer = await get(path);
      expect(answer.status).to.equal(200);
      expect(answer.headers).to.include({
        'content-type': type,
        'cache-control': cacheControl,
        'access-control-allow-origin': '*',
        'x-content-type-options': 'nosniff',
      });
      const { etag = '' } = answer.headers;
      const again = await get(path, { 'if-none-match': etag });
      expect([again.status, again.headers.etag, again.headers['cache-control']]).to.deep.equal([
        304,
        etag,
        cacheControl,
      ]);
      const url = `${deployment.origin}${path}`;
      const head = await ask(url, { method: 'HEAD' });
      expect([head.status, head.bytes.length, head.headers.etag]).to.deep.equal([200, 0, etag]);
      expect(head.headers['content-length']).to.equal(answer.headers['content-length']);
      const options = await ask(url, { method: 'OPTIONS' });
      expect([options.status, options.headers.allow]).to.deep.equal([204, 'GET, HEAD, OPTIONS']);
      for (const method of ['POST', 'PUT', 'DELETE']) {
        const refused = await ask(url, { method });
        expect([refused.status, refused.headers.allow], method).to.deep.equal([405, 'GET, HEAD, OPTIONS']);
      }
    });

  it('each Host gets its own URLs, and another tag', async () => {
    const [one, other] = [
      await get('/llms.txt', { host: 'one.example' }),
      await get('/llms.txt', { host: 'other.example:81' }),
    ];
    expect(urlsOf(one.text).every((url) => url.startsWith('http://one.example/'))).to.equal(true);
    expect(urlsOf(other.text).every((url) => url.startsWith('http://other.example:81/'))).to.equal(true);
    expect(one.headers.etag).not.to.equal(other.headers.etag);
    expect((await get('/llms.txt', { host: 'one.example' })).text).to.equal(one.text);
  });

  it('a hostile Host adds no link and no element', async () => {
    const host = "evil)(x&y'z";
    const usual = urlsOf((await get('/llms.txt')).text);
    const llms = await get('/llms.txt', { host });
    expect(urlsOf(llms.text)).to.have.lengthOf(usual.length);
    const sitemap = await get('/sitemap.xml', { host });
    expect([llms.status, sitemap.status]).to.deep.equal([200, 200]);
    expect(`${llms.text}${sitemap.text}`).not.to.match(/evil\)|x&y|y'z/);
    for (const refused of ['a<b', 'a"b', 'a b', 'a/b', 'a@b'])
      expect((await get('/llms.txt', { host: refused })).status, refused).to.equal(400);
  });

  it('hides no feed if BASE_PATH is /', async () => {
    const own = await startQuery({
      env: { FEED_TODAY: TODAY, INDEX_PREFIX: deployment.prefix, BASE_PATH: '/' },
    });
    try {
      for (const path of [...FEEDS, '/changes', '/openapi.json', '/docs', '/llms.txt'])
        expect((await ask(`${own.origin}${path}`)).status, path).to.equal(200);
      const explorer = await ask(`${own.origin}/`);
      expect([explorer.status, explorer.headers['content-type']]).to.deep.equal([
        200,
        'text/html; charset=utf-8',
      ]);
      for (const url of urlsOf((await ask(`${own.origin}/llms.txt`)).text))
        expect((await ask(url)).status, url).to.equal(200);
    } finally {
      await own.close();
    }
  });

  for (const path of FEEDS)
    it(`${path} links to its interface description, even from the cache, in a 304 and for HEAD`, async () => {
      const url = `${deployment.origin}/api${path}?cidade=recife`;
      const first = await ask(url);
      const { etag = '' } = first.headers;
      // The second response comes from the cache fast path.
      for (const answer of [
        first,
        await ask(url),
        await ask(url, { headers: { 'if-none-match': etag } }),
        await ask(url, { method: 'HEAD' }),
      ]) {
        expect(answer.headers.link).to.equal(first.headers.link);
        const relations = relationsOf(answer, url);
        expect(relations).to.include({
          'service-desc': `${deployment.origin}/api/openapi.json`,
          'service-doc': `${deployment.origin}/api/docs`,
        });
        expect(relations).to.include.keys('first', 'last', 'deprecation');
      }
      const relations = relationsOf(first, url);
      const [description, page] = [
        await ask(relations['service-desc'] ?? ''),
        await ask(relations['service-doc'] ?? ''),
      ];
      expect([description.status, description.headers['content-type']]).to.deep.equal([
        200,
        'application/json',
      ]);
      expect([page.status, page.headers['content-type']]).to.deep.equal([200, 'text/html; charset=utf-8']);
    });
});
