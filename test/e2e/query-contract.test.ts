import type { Item } from '@vitrine/feed-index';
import { FILTERS } from '@vitrine/feed-index/filters';
import { day, generateItems, TODAY } from '@vitrine/fixtures';
import { slugify } from '@vitrine/listing';
import { PUBLISHED_SCHEMA } from '@vitrine/listing-events';
import {
  CHANGES_EXAMPLES,
  EXAMPLE_BASE,
  EXAMPLE_ENTRIES,
  EXAMPLE_ENTRY_TIME,
  EXAMPLE_ITEMS,
  EXAMPLE_TODAY,
  EXPORT_EXAMPLE,
  FEED_EXAMPLES,
  type OpenApiDocument,
  problemExamples,
  problemPages,
} from '@vitrine/query';
import { expect } from 'chai';
import { describedResponses } from '../contract/described-responses.ts';
import { ask, type HttpAnswer } from '../contract/http-answer.ts';
import { createChangesIndex, deleteChanges, writeEntries } from '../support/changes-index.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';
import { sendRaw } from '../support/raw-requests.ts';

/** The problem types are relative references, because the tests set no PUBLIC_URL. */
const PROBLEMS = problemExamples(problemPages('/api'));
const FEEDS = [
  ['getPublicFeed', '/public-feed'],
  ['getPublicFeedByType', '/public-feed/rental'],
  ['getAiFeed', '/ai-feed'],
  ['getAiFeedByType', '/ai-feed/sale'],
] as const;

const FINE_QUERIES = [
  '',
  'pageSize=100',
  'page=3&pageSize=7',
  'page=9007199254740991',
  'city=sao-paulo&category=casa',
  'city=nowhere',
  'cidade=S%C3%A3o+Paulo&categoria=casa&subcategoria=quarto',
  `date=${day(4)}`,
  `data=${day(4)}`,
  `date=${day(2)}&date_to=${day(5)}`,
  `date=${day(-9)}`,
  'cursor=*&pageSize=5',
  'cursor=*&city=nowhere',
  'lat=-23.55&lng=-46.63',
  'lat=-23.55&lng=-46.63&localOnly=true',
  'localOnly=off',
  'city=sao-paulo,recife&category=casa,apartamento&sort=price',
  'city=Bonito,MS&min_price=1e3&max_price=1e%2B30&sort=newest',
  'cursor=*&sort=price&pageSize=5',
  'page=&pageSize=&city=&date=&cursor=&lat=&lng=&localOnly=&date_to=',
  'unknown=1&utm_source=x',
];

const BAD_QUERIES = [
  'page=0',
  'pageSize=101',
  'page=1&page=1',
  'city=%FF',
  'date=2026-02-30&data=x',
  `date_to=${day(1)}`,
  `date=${day(2)}&date_to=${day(1)}`,
  `date=${day(0)}&date_to=${day(31)}`,
  'lat=1',
  'lat=91&lng=181',
  'localOnly=true',
  'localOnly=yes&lat=1&lng=1',
  'cursor=*&page=1',
  'cursor=!',
  'cursor=abc',
  'city=a&cidade=b',
  `city=${Array(21).fill('a').join()}`,
  'ad_type=car',
  'sort=name',
  'sort=total_price',
  'sort=distance',
  'min_rating=5.1',
  'min_price=2&max_price=1',
  'max_total_price=100',
  'nights=3',
  `date=${day(1)}&nights=31`,
  `date=${day(1)}&date_to=${day(2)}&nights=3`,
  `date=${day(1)}&date_to=${day(93)}&nights=3`,
];

const FINE_CHANGES = [
  '',
  'limit=7',
  'afterChangeNumber=0&limit=1000',
  'afterChangeNumber=9007199254740991',
  'afterChangeNumber=&limit=',
  'unknown=1',
];
const BAD_CHANGES = [
  'limit=0',
  'limit=1001',
  'limit=1&limit=1',
  'afterChangeNumber=-1',
  'afterChangeNumber=x',
];
const FINE_EXPORTS: [query: string, lines: number][] = [
  ['', 300],
  ['after=', 300],
  ['after=item-98', 1],
  ['after=zzz', 0],
  ['unknown=1', 300],
];

describe('query service: contract', () => {
  let deployment: QueryDeployment;
  let described: ReturnType<typeof describedResponses>;
  const get = (path: string, headers: Record<string, string> = {}) =>
    ask(`${deployment.origin}/api${path}`, { headers });

  /** Expects a described response with status 200, and one with status 304 to the same request. */
  const expectBoth = async (operation: string, path: string) => {
    const answer = await get(path);
    expect(answer.status, `${path}: ${answer.text.slice(0, 300)}`).to.equal(200);
    described.expectDescribed(operation, answer, path);
    const again = await get(path, { 'if-none-match': answer.headers.etag ?? '' });
    expect(again.status, path).to.equal(304);
    described.expectDescribed(operation, again, `${path} again`);
    for (const name of ['etag', 'cache-control', 'vary', 'link', 'deprecation'])
      expect(again.headers[name], name).to.equal(answer.headers[name]);
  };

  before(async () => {
    deployment = await startQuery({ env: { FEED_TODAY: TODAY } });
    const items = generateItems(300);
    await deployment.createIndex(items);
    const { elasticsearch, prefix } = deployment;
    await createChangesIndex(elasticsearch, prefix, 1, 1);
    await writeEntries(elasticsearch, prefix, 1, [
      ...items.map(({ id }) => [id, 'updated'] as const),
      ['gone', 'deleted'],
    ]);
    described = describedResponses(JSON.parse((await get('/openapi.json')).text) as OpenApiDocument);
  });
  after(async () => {
    if (!deployment) return;
    await deleteChanges(deployment.elasticsearch, deployment.prefix);
    await deployment.close();
  });

  it('responds to every valid request as the OpenAPI document describes', async () => {
    for (const [operation, path] of FEEDS)
      for (const query of FINE_QUERIES) await expectBoth(operation, `${path}?${query}`);
  });

  it('responds to requests for changes and exports as the OpenAPI document describes', async () => {
    for (const query of FINE_CHANGES) await expectBoth('getChanges', `/changes?${query}`);
    for (const [query, lines] of FINE_EXPORTS) {
      const answer = await get(`/export?${query}`);
      expect([answer.status, answer.text.split('\n').length - 1], query).to.deep.equal([200, lines]);
      described.expectDescribed('getExport', answer, query);
    }
    const refused: [operation: string, path: string, status: number][] = [
      ...BAD_CHANGES.map((query): [string, string, number] => ['getChanges', `/changes?${query}`, 400]),
      ['getChanges', '/changes?afterChangeNumber=1', 410],
      ['getExport', '/export?after=a&after=b', 400],
      ['getExport', `/export?after=${'x'.repeat(513)}`, 400],
    ];
    for (const [operation, path, status] of refused) {
      const answer = await get(path);
      expect(answer.status, path).to.equal(status);
      described.expectDescribed(operation, answer, path);
    }
  });

  it('refuses every invalid request as the OpenAPI document describes', async () => {
    for (const [operation, path] of FEEDS) {
      for (const query of BAD_QUERIES) {
        const answer = await get(`${path}?${query}`);
        expect(answer.status, `${path}?${query}`).to.equal(400);
        described.expectDescribed(operation, answer, `${path}?${query}`);
        expect((JSON.parse(answer.text) as { errors: object[] }).errors, query).not.to.have.lengthOf(0);
      }
    }
    const unknown = await get('/ai-feed/car');
    expect(JSON.parse(unknown.text)).to.deep.equal(PROBLEMS['unknown-ad-type']);
    described.expectDescribed('getAiFeedByType', unknown, 'an unknown ad type');
    const posted = await ask(`${deployment.origin}/api/ai-feed`, { method: 'POST' });
    expect(JSON.parse(posted.text)).to.deep.equal(PROBLEMS['method-not-allowed']);
    described.expectDescribed('getAiFeed', posted, 'POST');
    expect(posted.headers.allow).to.equal('GET, HEAD, OPTIONS');
    const failed = await get('/ai-feed', { 'if-match': 'W/"x"' });
    expect(JSON.parse(failed.text)).to.deep.equal(PROBLEMS['precondition-failed']);
    described.expectDescribed('getAiFeed', failed, 'If-Match');
  });

  it('refuses a URL that is too long with 414, and headers that are too long with 431', async () => {
    const cases = [
      [414, `/api/ai-feed?city=${'a'.repeat(9_000)}`, ''],
      [414, `/api/ai-feed?city=${'a'.repeat(20_000)}`, ''],
      [431, '/api/ai-feed', `X: ${'a'.repeat(20_000)}\r\n`],
    ] as const;
    for (const [status, path, header] of cases) {
      const raw = await sendRaw(
        deployment.port,
        `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${header}\r\n`,
      );
      expect(raw?.status).to.equal(status);
      const answer: HttpAnswer = {
        status,
        headers: Object.fromEntries(raw?.headers ?? []),
        bytes: Buffer.alloc(0),
        text: raw?.body ?? '',
      };
      described.expectDescribed('getAiFeed', answer, String(status));
      expect(JSON.parse(answer.text)).to.deep.equal(
        PROBLEMS[status === 414 ? 'uri-too-long' : 'headers-too-large'],
      );
    }
  });

  it('refuses excess requests, and all requests without an index, as the OpenAPI document describes', async () => {
    const bare = await startQuery({ env: { RATE_LIMIT: '1' } });
    try {
      const [unavailable, refused] = [
        await ask(`${bare.origin}/api/ai-feed?cidade=x`),
        await ask(`${bare.origin}/api/ai-feed`),
      ];
      expect([unavailable.status, refused.status]).to.deep.equal([503, 429]);
      described.expectDescribed('getAiFeed', unavailable, '503');
      described.expectDescribed('getAiFeed', refused, '429');
      expect(JSON.parse(unavailable.text)).to.deep.equal(PROBLEMS.unavailable);
    } finally {
      await bare.close();
    }
  });

  it('adds a deprecation link to the page links only if the request uses legacy names', async () => {
    const [legacy, modern] = [await get('/ai-feed?cidade=recife'), await get('/ai-feed?city=recife&cidade=')];
    expect(legacy.headers.deprecation).to.match(/^@[0-9]+$/);
    expect(legacy.headers.link)
      .to.include('</api/docs/crawlers#legacy-names>; rel="deprecation"; type="text/html"')
      .and.to.include('rel="first"');
    expect(modern.headers).not.to.have.property('deprecation');
    expect(modern.headers.link).not.to.include('deprecation');
    expect((JSON.parse(legacy.text) as { data: object[] }).data).to.deep.equal(
      (JSON.parse(modern.text) as { data: object[] }).data,
    );
    expect(legacy.headers.etag).to.equal(modern.headers.etag);
    const refused = await get('/ai-feed?data=x');
    expect([refused.status, refused.headers.deprecation]).to.deep.equal([400, legacy.headers.deprecation]);
  });

  it('sends a page in the requested encoding, with the same entity tag in every encoding', async () => {
    const plain = await get('/ai-feed');
    const { generatedAt: _, ...meta } = (JSON.parse(plain.text) as { meta: { generatedAt: string } }).meta;
    for (const encoding of ['br', 'gzip', 'zstd']) {
      const answer = await get('/ai-feed', { 'accept-encoding': encoding });
      expect(answer.headers['content-encoding']).to.equal(encoding);
      expect(Number(answer.headers['content-length']))
        .to.equal(answer.bytes.length)
        .and.to.be.below(plain.bytes.length / 2);
      expect(answer.headers['content-type']).to.equal('application/json');
      expect(answer.headers.etag).to.equal(plain.headers.etag);
      expect((JSON.parse(answer.text) as { meta: object }).meta).to.include(meta);
      const head = await ask(`${deployment.origin}/api/ai-feed`, {
        method: 'HEAD',
        headers: { 'accept-encoding': encoding },
      });
      expect([head.status, head.bytes.length, head.headers['content-encoding']]).to.deep.equal([
        200,
        0,
        encoding,
      ]);
      described.expectDescribed('getAiFeed', answer, encoding);
    }
    for (const header of ['identity;q=0, *;q=0', 'x;q=9', '*;q=0']) {
      const answer = await get('/ai-feed', { 'accept-encoding': header });
      expect([answer.status, answer.headers['content-encoding']], header).to.deep.equal([200, undefined]);
    }
  });

  it('sends the same entity tag for the same content from every process and at any time', async () => {
    const other = await startQuery({ env: { FEED_TODAY: TODAY, INDEX_PREFIX: deployment.prefix } });
    try {
      for (const path of ['/ai-feed', `/ai-feed/rent?date=${day(3)}`, '/public-feed?city=recife&page=2']) {
        const [first, second] = [await get(path), await get(path)];
        const elsewhere = await ask(`${other.origin}/api${path}`);
        expect([second.headers.etag, elsewhere.headers.etag], path).to.deep.equal([
          first.headers.etag,
          first.headers.etag,
        ]);
      }
    } finally {
      await other.close();
    }
  });

  it('accepts any Accept header', async () => {
    for (const accept of ['text/html', 'image/png', '*/*;q=0', 'application/xml, */*;q=0', 'nonsense', '']) {
      const answer = await get('/public-feed', { accept });
      expect([answer.status, answer.headers['content-type']], accept).to.deep.equal([
        200,
        'application/json',
      ]);
    }
  });

  it('serves the OpenAPI document like a page, and explains legacy names without a script', async () => {
    // The headers of earlier releases link to this address.
    const moved = await get('/docs/crawlers');
    expect([moved.status, moved.headers['location']]).to.deep.equal([308, 'guides/crawlers']);
    for (const language of ['', '/pt-BR']) {
      const guide = await get(`/docs${language}/guides/crawlers`);
      expect(guide.headers['content-type']).to.equal('text/html; charset=utf-8');
      const [, section = ''] = guide.text.split('id="legacy-names"');
      const aliases = Object.values(FILTERS).flatMap((filter) => filter.alias ?? []);
      for (const name of aliases) expect(section.split('</table>')[0]).to.include(`<code>${name}</code>`);
    }
    const { headers } = await get('/openapi.json');
    expect((await get('/openapi.json', { 'if-none-match': headers.etag ?? '' })).status).to.equal(304);
    for (const [method, status] of [
      ['DELETE', 405],
      ['OPTIONS', 204],
    ] as const)
      expect((await ask(`${deployment.origin}/api/openapi.json`, { method })).status).to.equal(status);
  });

  it('serves the documents about events as the OpenAPI document describes, to any origin', async () => {
    for (const [operation, path, type] of [
      ['getListingEventSchema', '/listing-event.schema.json', 'application/schema+json'],
      ['getAsyncApiDocument', '/asyncapi.json', 'application/json'],
    ] as const) {
      const url = `${deployment.origin}/api${path}`;
      const answer = await get(path);
      expect([answer.status, answer.headers['content-type']], path).to.deep.equal([200, type]);
      described.expectDescribed(operation, answer, path);
      expect(answer.headers).to.include({
        'cache-control': 'public, max-age=300',
        'access-control-allow-origin': '*',
      });
      const again = await get(path, { 'if-none-match': answer.headers.etag ?? '' });
      expect(again.status).to.equal(304);
      described.expectDescribed(operation, again, `${path} again`);
      const encoded = await get(path, { 'accept-encoding': 'gzip' });
      described.expectDescribed(operation, encoded, `${path} encoded`);
      expect([encoded.headers['content-encoding'], encoded.text]).to.deep.equal(['gzip', answer.text]);
      const head = await ask(url, { method: 'HEAD' });
      expect([head.status, head.text, head.headers.etag]).to.deep.equal([200, '', answer.headers.etag]);
      for (const [method, status] of [
        ['DELETE', 405],
        ['OPTIONS', 204],
      ] as const)
        expect((await ask(url, { method })).status).to.equal(status);
    }
    expect(JSON.parse((await get('/listing-event.schema.json')).text)).to.deep.equal(PUBLISHED_SCHEMA);
  });

  it('uses PUBLIC_URL in every absolute URL', async () => {
    const own = await startQuery({
      env: {
        FEED_TODAY: TODAY,
        INDEX_PREFIX: deployment.prefix,
        PUBLIC_URL: 'https://feeds.example.com/x/',
        BASE_PATH: '/v1',
      },
    });
    try {
      const read = (path: string) => ask(`${own.origin}/v1${path}`);
      const { servers } = JSON.parse((await read('/openapi.json')).text) as OpenApiDocument;
      expect(servers.map(({ url }) => url)).to.deep.equal(['https://feeds.example.com/x/v1']);
      // The second response comes from the cache.
      for (const path of ['/ai-feed?cidade=recife', '/ai-feed?cidade=recife', '/ai-feed?data=x']) {
        const { link = '' } = (await read(path)).headers;
        expect(link, path).to.include(
          '<https://feeds.example.com/x/v1/docs/crawlers#legacy-names>; rel="deprecation"',
        );
        expect(
          [...link.matchAll(/<([^>]*)>; rel="first"/g)].map(([, first]) => first?.split('?')[0]),
          path,
        ).to.deep.equal(path.includes('data') ? [] : ['ai-feed']);
      }
      for (const [path, type] of [
        ['/ai-feed?data=x', 'invalid-parameters'],
        ['/ai-feed/car', 'unknown-ad-type'],
      ] as const)
        expect(JSON.parse((await read(path)).text)).to.include({
          type: `https://feeds.example.com/x/v1/docs/errors/${type}`,
        });
      expect((await sendRaw(own.port, 'nonsense\r\n\r\n'))?.body).to.include(
        '"https://feeds.example.com/x/v1/docs/errors/malformed-request"',
      );
    } finally {
      await own.close();
    }
  });

  it('returns 404 for every path outside its base path', async () => {
    for (const path of ['/catalogo', '/catalogo/lst-1', '/api/catalogo', '/api/catalogo/lst-1']) {
      expect((await ask(`${deployment.origin}${path}`)).status, path).to.equal(404);
    }
  });
});

describe('query service: examples in the OpenAPI document', () => {
  let deployment: QueryDeployment;

  before(async () => {
    deployment = await startQuery({ env: { FEED_TODAY: EXAMPLE_TODAY } });
    await deployment.createIndex(EXAMPLE_ITEMS.map(indexed));
    const { elasticsearch, prefix } = deployment;
    await createChangesIndex(elasticsearch, prefix, 1, 1);
    await writeEntries(elasticsearch, prefix, 1, EXAMPLE_ENTRIES, EXAMPLE_ENTRY_TIME);
  });
  after(async () => {
    if (!deployment) return;
    await deleteChanges(deployment.elasticsearch, deployment.prefix);
    await deployment.close();
  });

  for (const { name, path, value } of CHANGES_EXAMPLES) {
    it(`${name} is the service's response for getChanges`, async () => {
      const { status, text } = await ask(`${deployment.origin}/api${path}`);
      const page: unknown = JSON.parse(text.replace(`${deployment.origin}/api`, EXAMPLE_BASE));
      expect({ status, page }).to.deep.equal({ status: 200, page: value });
    });
  }

  it('exportedItem is a line of the export, and expired-change-number the response to an expired number', async () => {
    const { text } = await ask(`${deployment.origin}/api/export`);
    const lines = text.trimEnd().split('\n');
    expect(lines.map((line): unknown => JSON.parse(line))).to.deep.include(EXPORT_EXAMPLE.value);
    const expired = await ask(`${deployment.origin}/api/changes?afterChangeNumber=1`);
    expect(JSON.parse(expired.text)).to.deep.equal(PROBLEMS['expired-change-number']);
  });

  for (const { name, operation, path, value } of FEED_EXAMPLES) {
    it(`${name} is the service's response for ${operation}`, async () => {
      const { status, text } = await ask(`${deployment.origin}/api${path}`);
      const { data, meta } = JSON.parse(text) as typeof value;
      const { generatedAt } = value.meta;
      expect({ status, data, meta: { ...meta, generatedAt } }).to.deep.equal({ status: 200, ...value });
    });
  }

  it("invalid-parameters is the service's response to bad parameters", async () => {
    const { text } = await ask(`${deployment.origin}/api/ai-feed?pageSize=0&date=tomorrow`);
    expect(JSON.parse(text)).to.deep.equal(PROBLEMS['invalid-parameters']);
  });
});

/** An example item as the document that the projector would index. */
function indexed(
  { availability: calendar, ...feed_item }: (typeof EXAMPLE_ITEMS)[number],
  place: number,
): Item {
  return {
    id: feed_item.id,
    published_at: Date.parse(EXAMPLE_TODAY) - place,
    ad_type: 'rent',
    city: slugify(feed_item.location.city) ?? '',
    ...(feed_item.category && { category: feed_item.category }),
    ...(feed_item.sub_category && { sub_category: feed_item.sub_category }),
    labels: { city: feed_item.location.city },
    title_words: [],
    feed_item,
    calendar,
  };
}
