import { once } from 'node:events';
import { request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { readWebFiles } from '@vitrine/web';
import { expect } from 'chai';
import { Histories } from '../history/history.ts';
import type { AuditEntry } from './console-api.ts';
import { type ConsoleServer, startConsoleServer } from './console-server.ts';
import { Jobs } from './jobs.ts';
import { Scans } from './scans.ts';
import { StatusWatch } from './status-watch.ts';

const TOKEN = 'token-of-this-start-0123456789abcdef';
const EARLIER = 'token-of-an-earlier-start-0123456789';

interface Sent {
  status: number;
  body: string;
  headers: Record<string, unknown>;
}

describe('requests to the console', () => {
  let server: ConsoleServer;
  let port: number;
  let commands: string[] = [];
  let audit: AuditEntry[] = [];
  const closing: (() => Promise<unknown>)[] = [];

  const start = async (token: string | undefined, isPublic = false): Promise<ConsoleServer> => {
    const watch = new StatusWatch(async () => {
      throw new Error('Kafka does not respond');
    });
    const run = async (argv: readonly string[]) => {
      commands.push(argv.join(' '));
      return { code: 0, stdout: '{\n  "done": true\n}\n' };
    };
    const started = await startConsoleServer({
      address: { host: '127.0.0.1', port: 0, isPublic },
      token,
      allowActions: token !== undefined,
      watch,
      histories: new Histories(watch.samples, undefined),
      scans: new Scans(run),
      jobs: new Jobs(run),
      audit: (entry) => audit.push(entry),
      onError: (error) => expect.fail(String(error)),
    });
    closing.push(async () => {
      await started.close();
      await watch.stop();
    });
    return started;
  };

  before(async () => {
    server = await start(TOKEN);
    port = Number(new URL(server.origin).port);
  });
  beforeEach(() => {
    commands = [];
    audit = [];
  });
  after(() => Promise.all(closing.map((close) => close())));

  const send = (
    method: string,
    path: string,
    headers: OutgoingHttpHeaders = {},
    body = '',
    to = port,
  ): Promise<Sent> =>
    new Promise((resolve, reject) => {
      const sent = httpRequest({ host: '127.0.0.1', port: to, method, path, headers }, (response) => {
        text(response).then(
          (body) => resolve({ status: response.statusCode ?? 0, body, headers: { ...response.headers } }),
          reject,
        );
      });
      sent.on('error', reject);
      sent.end(body);
    });

  const ACTION = JSON.stringify({ action: 'resume', arguments: { generation: 2 } });
  const own = (changes: OutgoingHttpHeaders = {}): OutgoingHttpHeaders => {
    const headers: OutgoingHttpHeaders = {
      Host: `127.0.0.1:${port}`,
      Origin: `http://127.0.0.1:${port}`,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(ACTION),
      Authorization: `Bearer ${TOKEN}`,
      ...changes,
    };
    return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
  };
  const act = (changes: OutgoingHttpHeaders = {}, body = ACTION) =>
    send('POST', '/api/jobs', own({ 'Content-Length': Buffer.byteLength(body), ...changes }), body);

  it("run an action of the console's own page, and log who has started it and its outcome", async () => {
    expect(await act({ 'Sec-Fetch-Site': 'same-origin' })).to.include({ status: 202 });
    expect(commands).to.deep.equal(['replay resume -- 2']);
    expect(audit).to.deep.equal([
      { address: '127.0.0.1', event: 'started', action: 'resume', arguments: { generation: 2 } },
      {
        address: '127.0.0.1',
        event: 'ended',
        action: 'resume',
        arguments: { generation: 2 },
        outcome: { state: 'done', done: true },
      },
    ]);
    expect(JSON.stringify(audit)).not.to.include(TOKEN);
  });

  for (const [name, status, changes] of [
    ['without a token', 401, { Authorization: undefined }],
    ['with the token of an earlier start', 401, { Authorization: `Bearer ${EARLIER}` }],
    ['with a part of the token', 401, { Authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
    ['with the token as another scheme', 401, { Authorization: `Basic ${TOKEN}` }],
    ['from the page of another origin', 403, { Origin: 'https://evil.example' }],
    ['from a page on another port', 403, { Origin: 'http://127.0.0.1:1' }],
    ['from an opaque origin', 403, { Origin: 'null' }],
    ['without an origin', 403, { Origin: undefined }],
    ['from another site', 403, { 'Sec-Fetch-Site': 'cross-site' }],
    ['from another port of this host', 403, { 'Sec-Fetch-Site': 'same-site' }],
    ['typed into the address bar', 403, { 'Sec-Fetch-Site': 'none' }],
    ['as a form', 415, { 'Content-Type': 'application/x-www-form-urlencoded' }],
    ['as plain text', 415, { 'Content-Type': 'text/plain' }],
    ['as multipart', 415, { 'Content-Type': 'multipart/form-data; boundary=x' }],
    ['without a content type', 415, { 'Content-Type': undefined }],
    ['as text with a JSON parameter', 415, { 'Content-Type': 'text/plain; application/json' }],
    ['with a foreign Host', 421, { Host: 'evil.example:8090', Origin: 'http://evil.example:8090' }],
  ] as const)
    it(`are refused ${name}`, async () => {
      const { status: given, body } = await act(changes);
      expect([given, commands]).to.deep.equal([status, []]);
      expect(JSON.parse(body)).to.have.property('error');
      expect(audit).to.have.length(1);
      expect(audit[0]).to.include({ event: 'refused' });
    });

  for (const [name, status, body, path] of [
    ['with an unknown action', 400, '{"action":"drop"}', '/api/jobs'],
    ['without JSON', 400, '{', '/api/jobs'],
    ['of an unknown path', 404, ACTION, '/api/other'],
    ['to cancel what does not run', 409, '{"id":99}', '/api/jobs/cancel'],
    ['to a whole URL', 400, ACTION, 'http://127.0.0.1/api/jobs'],
    ['with a large body', 413, `"${'x'.repeat(16_384)}"`, '/api/jobs'],
  ] as const)
    it(`are logged if they are refused ${name}, although the token is right`, async () => {
      const sent = await send('POST', path, own({ 'Content-Length': Buffer.byteLength(body) }), body);
      expect(sent.status).to.equal(status);
      const { message } = (JSON.parse(sent.body) as { error: { message: string } }).error;
      expect(audit).to.deep.equal([{ address: '127.0.0.1', event: 'refused', outcome: message }]);
    });

  it('end the connection if they do not wait for the last response', async () => {
    const socket = connect(port, '127.0.0.1');
    const request = `GET /api/console HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
    socket.write(request.repeat(2));
    const received = await text(socket);
    expect(received.match(/HTTP\/1\.1/g) ?? []).to.have.lengthOf.at.most(1);
  });

  it('have no access to the files of other pages', async () => {
    const read = (path: string) => send('GET', path, { Host: `127.0.0.1:${port}` });
    const { body } = await read('/');
    const [script = ''] = /\/assets\/console-[0-9a-f]+\.js/.exec(body) ?? [];
    expect(await read(script)).to.include({ status: 200 });
    for (const { name } of readWebFiles().values())
      if (!name.startsWith('console-')) expect(await read(`/assets/${name}`)).to.include({ status: 404 });
  });

  it('are refused for reads with a foreign Host (DNS rebinding), or another port', async () => {
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      `127.0.0.1.nip.io:${port}`,
      '127.0.0.1',
      '127.0.0.1:1',
      `192.168.1.5:${port}`,
      `user@127.0.0.1:${port}`,
    ])
      for (const path of ['/', '/api/status', '/api/console', '/api/explain?id=a'])
        expect((await send('GET', path, { Host: host })).status, `${host} ${path}`).to.equal(421);
    for (const host of [`localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`])
      expect((await send('GET', '/api/console', { Host: host })).status, host).to.equal(200);
    expect(commands).to.deep.equal([]);
  });

  it('on a public interface may contain its address as the host, but not a name', async () => {
    const shared = Number(new URL((await start(undefined, true)).origin).port);
    const status = async (host: string) =>
      (await send('GET', '/api/console', { Host: host }, '', shared)).status;
    expect(await status(`192.168.1.5:${shared}`)).to.equal(200);
    expect(await status(`evil.example:${shared}`)).to.equal(421);
  });

  it('for data are refused from the pages of other sites', async () => {
    const Host = `127.0.0.1:${port}`;
    for (const site of ['cross-site', 'same-site'])
      expect((await send('GET', '/api/explain?id=a', { Host, 'Sec-Fetch-Site': site })).status).to.equal(403);
    expect(commands).to.deep.equal([]);
    const { headers } = await send('GET', '/api/console', { Host, Origin: 'https://evil.example' });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).to.deep.equal([]);
  });

  it('for actions are refused if the console only reads, even with an empty token', async () => {
    const reading = Number(new URL((await start(undefined)).origin).port);
    for (const authorization of ['Bearer undefined', 'Bearer ', `Bearer ${TOKEN}`]) {
      const headers = own({
        Host: `127.0.0.1:${reading}`,
        Origin: `http://127.0.0.1:${reading}`,
        Authorization: authorization,
      });
      expect((await send('POST', '/api/jobs', headers, ACTION, reading)).status).to.equal(403);
    }
    expect(commands).to.deep.equal([]);
  });

  it('cannot act with GET, PUT or OPTIONS', async () => {
    for (const [method, status] of [
      ['PUT', 405],
      ['DELETE', 405],
      ['OPTIONS', 405],
      ['GET', 404],
    ] as const)
      expect((await send(method, '/api/jobs', own({ 'Content-Length': undefined }))).status, method).to.equal(
        status,
      );
    expect(commands).to.deep.equal([]);
  });

  it('with a wrong or a large body are refused', async () => {
    expect((await act({}, '{')).status).to.equal(400);
    expect((await act({}, '{"action":"export"}')).status).to.equal(400);
    const large = JSON.stringify({ action: 'retry', arguments: { key: 'x'.repeat(20_000) } });
    expect((await act({}, large)).status).to.equal(413);
    expect(commands).to.deep.equal([]);
  });

  it('receive the page and its files with a strict policy, and nothing else', async () => {
    const Host = `127.0.0.1:${port}`;
    const { status, body, headers } = await send('GET', '/', { Host });
    expect(status).to.equal(200);
    expect(headers['content-security-policy']).to.include("default-src 'none'").and.not.include('unsafe');
    expect(body).not.to.match(/<script>|\sstyle=|\son\w+=/);
    const [, script] = /src="(\/assets\/[^"]+)"/.exec(body) ?? [];
    expect((await send('GET', script ?? '', { Host })).headers['content-type']).to.include('javascript');
    for (const path of [
      '/assets/../package.json',
      '/assets/%2e%2e/manifest.json',
      '/assets/manifest.json',
      '/x',
    ])
      expect((await send('GET', path, { Host })).status, path).to.equal(404);
  });

  it('for the status name the engine that does not respond', async () => {
    const { status, body } = await send('GET', '/api/status', { Host: `127.0.0.1:${port}` });
    expect(status).to.equal(503);
    expect(JSON.parse(body).error).to.include({ kind: 'failed' });
  });

  it('answers a request that has arrived when it closes, and then closes the connection', async () => {
    const closing = await start(undefined);
    const address = new URL(closing.origin);
    const socket = connect(Number(address.port), '127.0.0.1');
    const received = text(socket);
    const request = `HEAD / HTTP/1.1\r\nHost: ${address.host}\r\n\r\n`;
    socket.write(request);
    await once(socket, 'data');
    socket.write(request);
    await closing.close();
    expect((await received).match(/^Connection: [\w-]+/gm)).to.deep.equal([
      'Connection: keep-alive',
      'Connection: close',
    ]);
  });
});
