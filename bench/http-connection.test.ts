import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { get, HttpConnection, post } from './http-connection.ts';
import { load } from './load.ts';

const SHORT_TIMEOUT_MS = 200;
/** Even a busy machine sends headers within this time. */
const LONGER_TIMEOUT_MS = 2_000;

describe('HTTP connection of the bench', () => {
  let server: Server;
  let port: number;
  let sockets: Socket[];
  const listen = async (listener: RequestListener) => {
    sockets = [];
    server = createServer(listener).on('connection', (socket) => sockets.push(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  };
  const errorOf = async (promise: Promise<unknown>): Promise<string> =>
    promise.then(
      () => 'no error',
      (error: Error) => error.message,
    );
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('reuses its connection, and opens a new connection after the server has closed the old one', async () => {
    await listen((_, response) => response.end('page'));
    const connection = new HttpConnection(port);
    for (let request = 0; request < 3; request++)
      expect((await connection.send(get('/'))).body.toString()).to.equal('page');
    expect(sockets).to.have.length(1);

    const closed = new Promise((resolve) => sockets[0]?.once('close', resolve));
    sockets[0]?.end();
    await closed;
    expect((await connection.send(get('/'))).status).to.equal(200);
    expect(sockets).to.have.length(2);
    connection.close();
  });

  it('reads chunked bodies, empty responses, and responses that close the connection', async () => {
    await listen((request, response) => {
      if (request.url === '/304') response.writeHead(304, { etag: '"1"' }).end();
      else if (request.url === '/close') response.writeHead(200, { connection: 'close' }).end('last');
      else {
        response.write('first, ');
        setImmediate(() => response.end('second'));
      }
    });
    const connection = new HttpConnection(port);
    expect((await connection.send(get('/chunks'))).body.toString()).to.equal('first, second');
    expect(await connection.send(get('/304'))).to.deep.include({ status: 304, body: Buffer.alloc(0) });
    for (let request = 0; request < 2; request++)
      expect((await connection.send(get('/close'))).body.toString()).to.equal('last');
    connection.close();
  });

  it('sends JSON and headers', async () => {
    await listen(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      response.end(
        `${request.method} ${request.headers['content-type']} ${request.headers['accept-encoding']} ${body}`,
      );
    });
    const connection = new HttpConnection(port);
    expect((await connection.send(post('/', { a: 1 }))).body.toString()).to.equal(
      'POST application/json undefined {"a":1}',
    );
    expect((await connection.send(get('/', { 'accept-encoding': 'br' }))).body.toString()).to.equal(
      'GET undefined br ',
    );
    connection.close();
  });

  it('names the request in the error if its response is incomplete', async () => {
    await listen((request, response) => request.url === '/body' && response.write('the beginning'));
    for (const [path, timeoutMs, error] of [
      ['/headers', SHORT_TIMEOUT_MS, /^GET \/headers: Headers Timeout/],
      ['/body', LONGER_TIMEOUT_MS, /^GET \/body: Body Timeout/],
    ] as const) {
      const connection = new HttpConnection(port, timeoutMs);
      expect(await errorOf(connection.send(get(path)))).to.match(error);
      connection.close();
    }
  });

  it('fails the load if one connection stalls', async () => {
    await listen((_, response) => sockets.indexOf(response.socket as Socket) > 0 && response.end('page'));
    const options = { port, request: () => get('/stalled'), connections: 3, seconds: 0.05, status: 200 };
    const { signal } = new AbortController();
    expect(await errorOf(load({ ...options, signal, requestTimeoutMs: SHORT_TIMEOUT_MS }))).to.match(
      /^GET \/stalled: Headers Timeout/,
    );
  });

  it('ends the load when its signal aborts', async () => {
    await listen((_, response) => response.end('page'));
    const controller = new AbortController();
    const loading = load({
      port,
      request: () => get('/'),
      connections: 2,
      seconds: 60,
      status: 200,
      signal: controller.signal,
    });
    const failure = errorOf(loading);
    await delay(50);
    controller.abort(new Error('interrupted'));
    expect(await failure).to.equal('interrupted');
  });

  it('counts refusals separately from responses with the expected status', async () => {
    let number = 0;
    await listen((_, response) => response.writeHead(number++ % 2 === 0 ? 200 : 503).end());
    const { signal } = new AbortController();
    const { requests, refused } = await load({
      port,
      request: () => get('/'),
      connections: 2,
      seconds: 0.1,
      status: 200,
      refusals: [503],
      signal,
    });
    expect(requests).to.be.greaterThan(0);
    expect(requests + refused).to.equal(number);
    expect(
      await errorOf(
        load({ port, request: () => get('/'), connections: 2, seconds: 0.1, status: 200, signal }),
      ),
    ).to.match(/^status 503 instead/);
  });
});
