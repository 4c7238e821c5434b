import type { Item } from '@vitrine/feed-index';
import { generateItems, Random, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { ask, type HttpAnswer } from '../contract/http-answer.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';
import { metricOf } from '../support/service-process.ts';

const REQUESTS = 400;
const MODERN = '2026-07-28';
/** The earlier revisions that docs/reference/agents.md lists. */
const EARLIER = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const;
const UNKNOWN = ['1999-01-01', 'latest'] as const;

type Endpoint = [path: string, operation: string, tool: string, given: object];
/** The endpoints, each with its operation in the metrics, a tool and the tool's arguments. */
const ENDPOINTS: [Endpoint, ...Endpoint[]] = [
  ['/mcp', 'mcp', 'list_facets', { facet: 'city' }],
  ['/mcp/', 'mcp', 'list_facets', { facet: 'city' }],
  ['/ucp/mcp', 'ucpMcp', 'search_catalog', { catalog: { query: 'a' } }],
  ['/ucp/mcp/', 'ucpMcp', 'search_catalog', { catalog: { query: 'a' } }],
];
const ACCEPTS = [
  undefined,
  'application/json',
  '*/*',
  'application/*',
  'Application/JSON, Text/Event-Stream',
  'text/event-stream',
  'application/json;q=0.5',
  'text/html',
  ',',
] as const;
const CONTENT_TYPES = [
  undefined,
  'application/json',
  'Application/JSON',
  'application/json;charset=UTF-8',
  'APPLICATION/JSON ; charset=utf-8',
  'application/json\t;charset=utf-8',
] as const;
const VALID_IDS = [0, -1, 7, Number.MAX_SAFE_INTEGER, '', 'a', 'é"\n', '1'] as const;
const INVALID_IDS = [null, 1.5, {}, [], true, 1e300] as const;
const NO_MESSAGES = [{}, 7, null, 'x', { jsonrpc: '1.0', id: 3, method: 'ping' }, { id: 'b' }] as const;

interface Sent {
  value: unknown;
  /** The ids of the responses. Undefined if every response is acceptable. */
  ids: unknown[];
  /** Whether each response must have a result. */
  succeeds: boolean;
}

const items = generateItems(20);
const [known] = items as [Item];
/** Ids that a URI template encodes, or that look as if they were encoded. */
const SPECIAL_IDS = ['urn:apto:12', '100%', '50%25', 'a b', 'a%20b', 'ação/1?x#y'];
const special = SPECIAL_IDS.map((id) => ({ ...known, id, feed_item: { ...known.feed_item, id } }));

describe('MCP clients as they are', () => {
  let deployment: QueryDeployment;
  const send = (path: string, body: string, headers: Record<string, string> = {}) =>
    ask(`${deployment.origin}${path}`, { method: 'POST', headers, body });
  const call = async (path: string, method: string, params: object, headers: Record<string, string> = {}) =>
    JSON.parse(
      (await send(path, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), headers)).text,
    ) as { result?: Record<string, unknown>; error?: { code: number } };

  before(async () => {
    deployment = await startQuery({ env: { FEED_TODAY: TODAY, PUBLIC_URL: 'https://feeds.example.com' } });
    await deployment.createIndex([...items, ...special]);
  });
  after(() => deployment?.close());

  it('receive a JSON-RPC response to whatever they accept, declare, encode and batch', async () => {
    const random = new Random(90);
    const counted = async () => [
      await metricOf(deployment.admin, 'http_requests_total', 'operation="mcp"'),
      await metricOf(deployment.admin, 'http_requests_total', 'operation="ucpMcp"'),
    ];
    const before = await counted();
    const sent: Record<string, number> = { mcp: 0, ucpMcp: 0 };
    for (let i = 0; i < REQUESTS; i++) {
      const [path, operation, tool, given] = random.pick(ENDPOINTS);
      const [version, accept, type] = [
        random.pick([undefined, MODERN, ...EARLIER, ...UNKNOWN]),
        random.pick(ACCEPTS),
        random.pick(CONTENT_TYPES),
      ];
      const body = random.chance(0.3)
        ? batchOf(random, tool, given, version)
        : oneOf(random, tool, given, version);
      const text = random.pick(['', '\uFEFF', ' \r\n']) + JSON.stringify(body.value);
      const name = (body.value as { method?: string } | null)?.method;
      const headers = {
        ...(accept !== undefined && { accept }),
        ...(type !== undefined && { 'content-type': type }),
        ...(version !== undefined && { 'mcp-protocol-version': version }),
        ...(version === MODERN && name !== undefined && { 'mcp-method': name }),
        ...(version === MODERN && name === 'tools/call' && { 'mcp-name': tool }),
      };
      const answer = await send(path, text, headers);
      expectResponses(answer, body, `${path} ${JSON.stringify(headers)} ${text}\n${answer.text}`);
      sent[operation] = (sent[operation] ?? 0) + 1;
    }
    const [mcp = 0, ucpMcp = 0] = before;
    expect(await counted()).to.deep.equal([mcp + (sent['mcp'] ?? 0), ucpMcp + (sent['ucpMcp'] ?? 0)]);
  });

  it('receive a parse error for a body that is not JSON', async () => {
    for (const [path] of ENDPOINTS)
      for (const body of ['', '{', '\uFEFF', 'NaN', '[1', '\u0000']) {
        const { status, text } = await send(path, body, { 'content-type': 'application/json' });
        expect(status, `${path} ${body}`).to.equal(400);
        expect(JSON.parse(text)).to.deep.include({ jsonrpc: '2.0', id: null });
        expect(JSON.parse(text)).to.have.nested.property('error.code', -32_700);
      }
  });

  it('receive a JSON-RPC error for another content type and for a body that is too large', async () => {
    const refused = [
      ['{}', 'text/plain', 415],
      [' '.repeat(64 * 1024 + 1), 'application/json', 413],
    ] as const;
    for (const [path] of ENDPOINTS)
      for (const [body, type, status] of refused) {
        const answer = await send(path, body, { 'content-type': type });
        expect([answer.status, answer.headers['content-type']]).to.deep.equal([status, 'application/json']);
        expect(JSON.parse(answer.text)).to.have.nested.property('error.code', -32_000);
      }
  });

  it('negotiate each documented revision', async () => {
    const initialize = (protocolVersion: string) =>
      call('/mcp', 'initialize', {
        protocolVersion,
        capabilities: {},
        clientInfo: { name: 'a', version: '1' },
      });
    for (const version of EARLIER)
      expect((await initialize(version)).result, version).to.have.property('protocolVersion', version);
    for (const version of UNKNOWN)
      expect((await initialize(version)).result, version).to.have.property('protocolVersion', EARLIER[0]);
  });

  it('read a listing whose id the URI template has encoded, and one with a literal percent sign', async () => {
    const read = async (uri: string) => {
      const { result } = await call('/mcp', 'resources/read', { uri });
      const [content] = (result?.['contents'] ?? []) as { text: string }[];
      return content && (JSON.parse(content.text) as { id: string }).id;
    };
    for (const id of SPECIAL_IDS)
      expect(await read(`feeds://listing/${encodeURIComponent(id)}`), id).to.equal(id);
    for (const id of ['urn:apto:12', '100%']) expect(await read(`feeds://listing/${id}`), id).to.equal(id);
    const missing = await call('/mcp', 'resources/read', { uri: 'feeds://listing/50%2' });
    expect(missing.error?.code).to.equal(-32_602);
  });

  it('may be web pages of exactly the allowed origins, with their scheme and port', async () => {
    const status = async (origin: string) =>
      (await send('/mcp', '{"jsonrpc":"2.0","id":1,"method":"ping"}', { origin })).status;
    for (const origin of ['https://feeds.example.com', 'http://localhost:3000', 'http://[::1]:80'])
      expect(await status(origin), origin).to.equal(200);
    for (const origin of [
      'http://feeds.example.com',
      'https://feeds.example.com:8443',
      'https://feeds.example.com.evil.example',
      'null',
      'chrome-extension://localhost',
      'x',
    ])
      expect(await status(origin), origin).to.equal(403);
  });
});

/** A message, or a value that is not a message. */
function oneOf(random: Random, tool: string, given: object, version: string | undefined): Sent {
  if (random.chance(0.1)) {
    const value = random.pick(NO_MESSAGES);
    const id = (value as { id?: unknown } | null)?.id ?? null;
    return { value, ids: [id], succeeds: false };
  }
  const isModern = version === MODERN;
  const meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const message = (method: string, params: object = {}) => ({
    jsonrpc: '2.0',
    method,
    params: isModern ? { ...params, _meta: meta } : params,
  });
  const isServed = version === undefined || isModern || (EARLIER as readonly string[]).includes(version);
  if (random.chance(0.15))
    return { value: message('notifications/cancelled', { requestId: 9 }), ids: [], succeeds: isServed };
  const request = random.pick([
    message('tools/list'),
    message('tools/call', { name: tool, arguments: given }),
    message('no/such/method'),
  ]);
  const isKnown = request.method !== 'no/such/method';
  if (random.chance(0.1)) {
    const id = random.pick(INVALID_IDS);
    return {
      value: { ...request, id },
      ids: [typeof id === 'number' ? id : null],
      succeeds: false,
    };
  }
  const id = random.pick(VALID_IDS);
  return { value: { ...request, id }, ids: [id], succeeds: isKnown && isServed };
}

/** A batch, in which parts may be invalid, have the same id, or cancel each other. */
function batchOf(random: Random, tool: string, given: object, version: string | undefined): Sent {
  if (random.chance(0.1)) return { value: [], ids: [null], succeeds: false };
  const parts = Array.from({ length: random.integer(1, 6) }, () => oneOf(random, tool, given, version));
  const cancelled = parts.flatMap(({ ids }) => ids).find((id) => id !== null);
  const value = [
    ...parts.map((part) => part.value),
    ...(random.chance(0.4) && cancelled !== undefined
      ? [{ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: cancelled } }]
      : []),
  ];
  const hasModernMessage =
    version === MODERN && parts.some(({ value: part }) => (part as { params?: object } | null)?.params);
  // Revision 2026-07-28 has no batches.
  if (hasModernMessage) return { value, ids: [null], succeeds: false };
  return { value, ids: parts.flatMap(({ ids }) => ids), succeeds: parts.every(({ succeeds }) => succeeds) };
}

function expectResponses({ status, text }: HttpAnswer, { value, ids, succeeds }: Sent, what: string): void {
  expect(status, what).to.be.below(500);
  if (ids.length === 0 && status === 202) {
    expect(text, what).to.equal('');
    return;
  }
  const parsed = JSON.parse(text) as unknown;
  const isBatch = Array.isArray(value) && Array.isArray(parsed);
  const responses = (isBatch ? parsed : [parsed]) as Record<string, unknown>[];
  for (const response of responses) {
    expect(response, what).to.have.property('jsonrpc', '2.0');
    expect('result' in response, what).to.equal(!('error' in response));
    if (succeeds) expect(response, what).to.have.property('result');
  }
  if (ids.length > 0)
    expect(
      responses.map(({ id }) => id),
      what,
    ).to.have.deep.members(ids);
}
