import { generateItems, TODAY } from '@vitrine/fixtures';
import { PROBLEM_TYPES } from '@vitrine/query';
import { expect } from 'chai';
import fc from 'fast-check';
import { fetchAccepted } from '../support/fetch-accepted.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';
import { getRaw, NASTY_QUERIES, NASTY_TARGETS, type RawResponse, sendRaw } from '../support/raw-requests.ts';
import { eventually } from '../support/service-process.ts';

describe('query service: HTTP', () => {
  let deployment: QueryDeployment;
  const request = (path: string, init?: RequestInit) => fetchAccepted(`${deployment.origin}${path}`, init);
  /** Checks the form of a problem response. */
  const problemOf = async (response: Response) => {
    expect(response.headers.get('content-type')).to.equal('application/problem+json');
    expect(response.headers.get('access-control-allow-origin')).to.equal('*');
    const problem = (await response.json()) as {
      type: string;
      title: string;
      status: number;
      detail: string;
      errors?: { parameter: string; detail: string }[];
    };
    isOfKnownType(problem, response.status);
    expect(problem.detail)
      .to.be.a('string')
      .that.does.not.match(/elastic|koa|node|Error|\bat \//i);
    return problem;
  };
  const isOfKnownType = ({ type, title }: { type: string; title: string }, status: number) => {
    const known: Record<string, object> = PROBLEM_TYPES;
    expect(known[type.replace('/api/docs/errors/', '')], type).to.deep.equal({ title, status });
  };
  const isFine = (response: RawResponse | undefined, what: string) => {
    expect(response, what).not.to.equal(undefined);
    expect(response?.status, what).to.be.within(200, 499);
    expect(response?.headers.get('access-control-allow-origin'), what).to.equal('*');
    if (response && response.status >= 400) {
      expect(response.headers.get('content-type'), what).to.equal('application/problem+json');
      const problem = JSON.parse(response.body) as { type: string; title: string; status: number };
      expect(problem, what).to.include({ status: response.status });
      isOfKnownType(problem, response.status);
    }
  };

  before(async () => {
    deployment = await startQuery({ env: { FEED_TODAY: TODAY, CACHE_FRESH_SECONDS: '3600' } });
    await deployment.createIndex(generateItems(50));
  });
  after(() => deployment?.close());

  it('lists every bad parameter in one problem document', async () => {
    const response = await request('/api/ai-feed?page=0&pageSize=x&data=2026-02-30&city=a&city=b');
    expect(response.status).to.equal(400);
    expect(response.headers.get('cache-control')).to.equal('no-store');
    expect((await problemOf(response)).errors?.map(({ parameter }) => parameter)).to.have.members([
      'page',
      'pageSize',
      'data',
      'city',
    ]);
  });

  it('responds 404 with a problem document for unknown ad types and paths', async () => {
    for (const path of [
      '/api/public-feed/car',
      '/api/public-feed/Sale',
      '/api/ai-feed/rent/1',
      '//',
      '/llms.txt/',
      '/api/llms.txt',
      '/public-feed',
      '/catalogo',
      '/api/public-feed/',
    ]) {
      const response = await request(path);
      expect(response.status, path).to.equal(404);
      await problemOf(response);
    }
  });

  it('responds 405 with Allow to every other method', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'PURGE', 'SEARCH']) {
      const response = await request('/api/public-feed', { method });
      expect(response.status, method).to.equal(405);
      expect(response.headers.get('allow')).to.equal('GET, HEAD, OPTIONS');
      await problemOf(response);
    }
    for (const [method, path] of [
      ['TRACE', '/api/ai-feed'],
      ['CONNECT', 'example.com:443'],
    ]) {
      const response = await sendRaw(
        deployment.port,
        `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      );
      expect(response?.status, method).to.equal(405);
      isFine(response, String(method));
    }
  });

  it('responds to HEAD like to GET but without a body, and to OPTIONS on every page', async () => {
    const plain = { headers: { 'accept-encoding': 'identity' } };
    const [get, head] = [
      await request('/api/ai-feed', plain),
      await request('/api/ai-feed', { method: 'HEAD', ...plain }),
    ];
    expect(head.status).to.equal(200);
    for (const name of ['etag', 'content-type', 'cache-control'])
      expect(head.headers.get(name), name).to.equal(get.headers.get(name));
    expect(Number(head.headers.get('content-length'))).to.equal((await get.arrayBuffer()).byteLength);
    expect(await head.text()).to.equal('');
    const options = await request('/api/ai-feed/rent', {
      method: 'OPTIONS',
      headers: { origin: 'https://example.com', 'access-control-request-method': 'GET' },
    });
    expect(options.status).to.equal(204);
    expect(options.headers.get('allow')).to.equal('GET, HEAD, OPTIONS');
    expect(options.headers.get('access-control-allow-methods')).to.equal('GET, HEAD, OPTIONS');
    expect(options.headers.get('access-control-allow-origin')).to.equal('*');
    for (const name of ['ETag', 'Link', 'Deprecation', 'Retry-After'])
      expect(get.headers.get('access-control-expose-headers')).to.include(name);
  });

  it('sends a weak ETag of the content, and responds 304 if If-None-Match contains it', async () => {
    const [first, second, other] = [
      await request('/api/ai-feed'),
      await request('/api/ai-feed?unknown=1'),
      await request('/api/ai-feed?page=2'),
    ];
    const etag = first.headers.get('etag') ?? '';
    expect(etag).to.match(/^W\/"/);
    expect(second.headers.get('etag')).to.equal(etag);
    expect(other.headers.get('etag')).not.to.equal(etag);
    for (const named of [etag, `"x", ${etag}`, '*', etag.slice(2)]) {
      const response = await request('/api/ai-feed', { headers: { 'if-none-match': named } });
      expect(response.status, named).to.equal(304);
      expect(response.headers.get('etag')).to.equal(etag);
      expect(response.headers.get('cache-control')).to.match(
        /^public, max-age=\d+, stale-while-revalidate=\d+, stale-if-error=\d+$/,
      );
      expect(response.headers.get('vary')).to.equal('Accept-Encoding');
      expect(await response.text()).to.equal('');
    }
    expect((await request('/api/ai-feed', { headers: { 'if-none-match': 'W/"x"' } })).status).to.equal(200);
  });

  it('responds 412 to If-Match with a tag, from the app and from the cache', async () => {
    const match = (value: string, more = {}) =>
      request('/api/ai-feed?page=3', { headers: { 'if-match': value, ...more } });
    const etag = (await match('*')).headers.get('etag') ?? '';
    for (const named of [etag, etag.slice(2), '"x"']) {
      const response = await match(named, { 'if-none-match': etag });
      expect(response.status, named).to.equal(412);
      expect(response.headers.get('cache-control')).to.equal('no-store');
      await problemOf(response);
    }
    expect((await match('*', { 'if-none-match': etag })).status).to.equal(304);
    expect((await request('/api/docs', { headers: { 'if-match': '"x"' } })).status).to.equal(412);
  });

  it('responds to OPTIONS *', async () => {
    const response = await sendRaw(
      deployment.port,
      'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
    expect([response?.status, response?.headers.get('allow')]).to.deep.equal([204, 'GET, HEAD, OPTIONS']);
  });

  it('accepts a URL in absolute form or with a fragment', async () => {
    const path = 'http://elsewhere/api/public-feed?city=sao+paulo&pageSize=100#top';
    const response = await getRaw(deployment.port, path);
    const expected = (await (await request('/api/public-feed?city=sao-paulo&pageSize=100')).json()) as {
      data: object[];
    };
    expect(response?.status).to.equal(200);
    expect(expected.data).not.to.have.lengthOf(0);
    expect((JSON.parse(response?.body ?? '') as { data: object[] }).data).to.deep.equal(expected.data);
  });

  it('never responds with a 5xx to a malformed query or path', async () => {
    const paths = [
      ...NASTY_QUERIES.flatMap((query) => [`/api/public-feed${query}`, `/api/ai-feed/rent${query}`]),
      ...NASTY_TARGETS,
    ];
    for (const path of paths)
      isFine(await getRaw(deployment.port, Buffer.from(path, 'latin1')), path.slice(0, 80));
  });

  it('never responds with a 5xx to random bytes in a query', async () => {
    // The next test covers bytes that end the request line or are forbidden in it.
    const byte = fc.integer({ min: 0x21, max: 0xff }).filter((value) => value !== 0x7f);
    const name = fc.constantFrom(
      'page',
      'pageSize',
      'city',
      'cidade',
      'category',
      'sub_category',
      'date',
      'data',
      '',
    );
    const pair = fc.tuple(
      name,
      fc.uint8Array({ maxLength: 40 }),
      fc.array(byte, { maxLength: 40 }),
      fc.boolean(),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('public-feed', 'ai-feed', 'ai-feed/sale'),
        fc.array(pair, { maxLength: 4 }),
        async (feed, pairs) => {
          const query = pairs.map(([key, encoded, bare, isBare]) => {
            const value = isBare
              ? Buffer.from(bare)
              : Buffer.from(Array.from(encoded, (b) => `%${b.toString(16).padStart(2, '0')}`).join(''));
            return Buffer.concat([Buffer.from(`${key}=`), value]);
          });
          const path = Buffer.concat([
            Buffer.from(`/api/${feed}?`),
            ...query.flatMap((part) => [part, Buffer.from('&')]),
          ]);
          isFine(await getRaw(deployment.port, path), path.toString('latin1'));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('responds to malformed requests with a problem document, and closes the connection', async () => {
    const cases: [string, number][] = [
      ['nonsense\r\n\r\n', 400],
      ['GET /a b HTTP/1.1\r\nHost: x\r\n\r\n', 400],
      ['GET / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n', 400],
      ['GET / HTTP/1.1\r\nHost x\r\n\r\n', 400],
      ['GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
      ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
      ['GET /api/public-feed HTTP/1.1\r\nHost: [::1\r\nConnection: close\r\n\r\n', 400],
      ['GET /api/public-feed HTTP/1.1\r\nHost: x\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
      [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
      [`GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 414],
      [`GET /${'a'.repeat(9_000)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`, 414],
      ['\0\0\0\0\r\n\r\n', 400],
    ];
    for (const [bytes, status] of cases) {
      const response = await sendRaw(deployment.port, bytes);
      isFine(response, bytes.slice(0, 40));
      expect(response?.status, bytes.slice(0, 40)).to.equal(status);
    }
  });

  it('ignores request bodies, expectations and unusual headers', async () => {
    const lines = [
      'Content-Length: 5\r\n\r\nhello',
      'Expect: 200-maybe\r\n\r\n',
      'Accept: image/png\r\nAccept-Encoding: x;q=9\r\n\r\n',
      'Range: bytes=0-1\r\nCookie: %%%=;\r\n\r\n',
      'Upgrade: websocket\r\n\r\n',
    ];
    for (const rest of lines) {
      const response = await sendRaw(
        deployment.port,
        `GET /api/public-feed HTTP/1.1\r\nHost: [::1]:1\r\nConnection: close\r\n${rest}`,
      );
      expect(response?.status, rest).to.equal(200);
    }
    expect((await sendRaw(deployment.port, 'GET /api/public-feed HTTP/1.0\r\n\r\n'))?.status).to.equal(200);
  });

  it("returns the client's request id, or a new id if the app responds", async () => {
    const idOf = async (path: string, id?: string) =>
      (
        await fetchAccepted(
          `${deployment.origin}/api${path}`,
          id === undefined ? {} : { headers: { 'x-request-id': id } },
        )
      ).headers.get('x-request-id');
    const own = await idOf('/public-feed?page=31');
    expect(own).to.match(/^[0-9a-f-]{36}$/);
    expect(await idOf('/public-feed?page=31'), 'a cached page').to.equal(null);
    expect(await idOf('/public-feed?page=31', 'mine-1')).to.equal('mine-1');
    expect(await idOf('/nowhere', 'mine-2')).to.equal('mine-2');
    expect(await idOf('/nowhere', 'not one id')).to.match(/^[0-9a-f-]{36}$/);
  });

  it('accepts only GET and HEAD on the admin port, and forbids caching there', async () => {
    expect((await fetch(`${deployment.admin}/health/ready`, { method: 'POST' })).status).to.equal(405);
    // The first probe ran before the index existed. The next probe runs about a second later.
    await eventually('ready', async () => (await fetch(`${deployment.admin}/health/ready`)).ok);
    const ready = await fetch(`${deployment.admin}/health/ready`);
    expect([ready.status, ready.headers.get('cache-control'), await ready.json()]).to.deep.equal([
      200,
      'no-store',
      { ready: true, reasons: [] },
    ]);
  });

  it('reports the number of requests and searches on the admin port', async () => {
    const metrics = await (await fetch(`${deployment.admin}/metrics`)).text();
    expect(metrics).to.match(/http_requests_total\{operation="getAiFeed",status="200",cache="miss"\} \d+/);
    expect(metrics).to.match(/http_requests_total\{operation="none",status="405",cache="none"\} \d+/);
    expect(metrics).to.match(
      /http_request_duration_seconds_count\{operation="getPublicFeed",cache="miss"\} \d+/,
    );
    expect(metrics).to.match(/elasticsearch_search_duration_seconds_count \d+/);
  });
});

describe('query service: keep-alive', () => {
  it('G11: keeps idle connections for KEEP_ALIVE_SECONDS', async () => {
    const deployment = await startQuery({ env: { KEEP_ALIVE_SECONDS: '620' } });
    try {
      const { headers } = await fetch(`${deployment.origin}/api/openapi.json`);
      expect(headers.get('keep-alive')).to.match(/^timeout=620\b/);
    } finally {
      await deployment.close();
    }
  });
});

describe('query service: rate limit', () => {
  it('refuses requests beyond the limit per minute and client, with Retry-After', async () => {
    const deployment = await startQuery({ env: { RATE_LIMIT: '3', BASE_PATH: '/' } });
    try {
      await deployment.createIndex([]);
      const statuses: number[] = [];
      for (let i = 0; i < 4; i++) statuses.push((await fetch(`${deployment.origin}/public-feed`)).status);
      expect(statuses).to.deep.equal([200, 200, 200, 429]);
      const refused = await fetch(`${deployment.origin}/ai-feed`);
      expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60);
      expect(refused.headers.get('access-control-allow-origin')).to.equal('*');
      expect(await refused.json()).to.include({ status: 429, type: '/docs/errors/too-many-requests' });
    } finally {
      await deployment.close();
    }
  });

  it('counts CONNECT and malformed requests', async () => {
    const deployment = await startQuery({ env: { RATE_LIMIT: '3' } });
    try {
      const ask = async (bytes: string) => (await sendRaw(deployment.port, bytes))?.status;
      expect(await ask('nonsense\r\n\r\n')).to.equal(400);
      expect(await ask('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n')).to.equal(405);
      expect(await ask('GET / HTTP/1.1\r\nConnection: close\r\n\r\n')).to.equal(400);
      const refused = await sendRaw(deployment.port, 'nonsense\r\n\r\n');
      expect([refused?.status, Number(refused?.headers.get('retry-after')) > 0]).to.deep.equal([429, true]);
      expect(await ask('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n')).to.equal(429);
      const metrics = await (await fetch(`${deployment.admin}/metrics`)).text();
      for (const [status, count] of [
        [400, 2],
        [405, 1],
        [429, 2],
      ])
        expect(metrics).to.include(
          `http_requests_total{operation="none",status="${status}",cache="none"} ${count}\n`,
        );
      expect(metrics).to.include('turned_away_total{reason="rate"} 2\n');
    } finally {
      await deployment.close();
    }
  });
});
