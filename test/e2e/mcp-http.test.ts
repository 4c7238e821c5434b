import { request } from 'node:http';
import { generateItems, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { type QueryProcess, startQueryProcess } from '../support/query-service.ts';
import { eventually } from '../support/service-process.ts';

const items = generateItems(20);
const PRIVATE = 'Rua das Flores 12';
const call = (name: string, args: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

describe('MCP over HTTP', () => {
  let query: QueryProcess;
  /** `fetch` does not send another Host. */
  const send = (
    method: string,
    body: string,
    more: Record<string, string> = {},
    path = '/mcp',
    origin = query.origin,
  ) =>
    new Promise<Answer>((resolve, reject) => {
      const headers = {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'Content-Length': String(Buffer.byteLength(body)),
        ...more,
      };
      const sent = request(`${origin}${path}`, { method, headers }, (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(pieces).toString(),
          }),
        );
      });
      sent.on('error', reject);
      sent.end(body);
    });
  const search = (more: Record<string, string> = {}) => send('POST', call('search_listings'), more);
  /** A busy machine can refuse a call. The client then repeats the call, as the answer tells it to. */
  const sendUntilAccepted = (body: string, more: Record<string, string> = {}, path?: string) =>
    eventually(
      'an accepted call',
      async () => {
        const answer = await send('POST', body, more, path);
        return /handling too many requests|temporarily unavailable/.test(answer.body) ? undefined : answer;
      },
      undefined,
      1_000,
    );

  before(async () => {
    query = await startQueryProcess(items, {
      FEED_TODAY: TODAY,
      PUBLIC_URL: 'https://feeds.example.com/x',
      RATE_LIMIT: '200',
      TRUSTED_PROXIES: '1',
    });
  });
  after(() => query?.close());

  it('accepts loopback and the host of PUBLIC_URL, with any port, and refuses another Host', async () => {
    for (const Host of ['localhost', '127.0.0.1:1234', '[::1]:80', 'feeds.example.com'])
      expect((await search({ Host })).status, Host).to.equal(200);
    for (const Host of ['evil.example', 'feeds.example.com.evil.example']) {
      const { status, body } = await search({ Host });
      expect(status, Host).to.equal(403);
      expect(JSON.parse(body)).to.have.nested.property('error.message');
    }
  });

  it('accepts the origin of PUBLIC_URL and requests without Origin, and refuses another Origin', async () => {
    expect((await search({ Origin: 'https://feeds.example.com' })).status).to.equal(200);
    expect((await search({ Origin: 'http://localhost:3000' })).status).to.equal(200);
    for (const Origin of ['https://evil.example', 'null', 'http://localhost.evil.example'])
      expect((await search({ Origin })).status, Origin).to.equal(403);
  });

  it('accepts exactly the given hosts and every origin after MCP_ALLOWED_HOSTS and *', async () => {
    const other = await startQueryProcess([], {
      PUBLIC_URL: 'https://feeds.example.com',
      MCP_ALLOWED_HOSTS: 'agents.example.com:8443',
      MCP_ALLOWED_ORIGINS: '*',
    });
    try {
      const status = async (Host: string, more: Record<string, string> = {}) =>
        (await send('POST', call('search_listings'), { Host, ...more }, '/mcp', other.origin)).status;
      expect(await status('agents.example.com', { Origin: 'https://any.example' })).to.equal(200);
      for (const Host of ['feeds.example.com', 'localhost']) expect(await status(Host), Host).to.equal(403);
    } finally {
      await other.close();
    }
  });

  it('allows web pages to send the request after a preflight', async () => {
    const { status, headers } = await send('OPTIONS', '', { Origin: 'http://localhost:3000' });
    expect([status, headers['access-control-allow-methods']]).to.deep.equal([204, 'POST, OPTIONS']);
    expect(headers['access-control-allow-origin']).to.equal('*');
    expect((await search()).headers['access-control-allow-origin']).to.equal('*');
  });

  it('refuses other methods with 405 and Allow', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const { status, headers } = await send(method, '');
      expect([status, headers['allow']], method).to.deep.equal([405, 'POST, OPTIONS']);
    }
  });

  it('accepts a notification with 202 and without a body', async () => {
    const { status, body } = await send('POST', '{"jsonrpc":"2.0","method":"notifications/initialized"}');
    expect([status, body]).to.deep.equal([202, '']);
  });

  it('counts the calls by tool and outcome', async () => {
    const count = (labels: string) => query.metric('agent_tool_duration_seconds_count', labels);
    const answered = 'tool="list_facets",outcome="answered"';
    const refused = 'tool="list_facets",outcome="bad_arguments"';
    const before = [await count(answered), await count(refused)];
    await sendUntilAccepted(call('list_facets', { facet: 'city' }));
    await sendUntilAccepted(call('list_facets', { facet: 'street' }));
    expect([await count(answered), await count(refused)]).to.deep.equal(before.map((n) => n + 1));
    expect(await query.metric('http_requests_total', 'operation="mcp",status="200"')).to.be.above(1);
  });

  it('logs one line per call, without the text of its arguments', async () => {
    const id = 'the-request-of-this-test';
    const headers = { 'X-Request-Id': id };
    await sendUntilAccepted(call('search_listings', { city: PRIVATE }), headers);
    await sendUntilAccepted(call('search_listings', { [PRIVATE]: 1, date: PRIVATE }), headers);
    await sendUntilAccepted(call('search_catalog', { catalog: { query: PRIVATE } }), headers, '/ucp/mcp');
    const outcomes = () =>
      query.process
        .log()
        .split('\n')
        .filter((line) => line.includes(id) && !/overload|outage/.test(line))
        .map((line) => (JSON.parse(line) as { outcome: string }).outcome);
    await eventually('three lines', async () => outcomes().length >= 3);
    expect(outcomes()).to.deep.equal(['answered', 'bad_arguments', 'answered']);
    expect(query.process.log()).not.to.include('Flores');
  });

  it('counts against the rate limit of its client', async () => {
    const headers = { 'X-Forwarded-For': '203.0.113.9' };
    const statuses = new Set<number>();
    for (let i = 0; i < 220; i++) statuses.add((await send('POST', '{}', headers)).status);
    expect([...statuses]).to.include(429);
    expect((await search({ 'X-Forwarded-For': '203.0.113.10' })).status).to.equal(200);
  });
});
