import { once } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pass } from 'node:timers/promises';
import { expect } from 'chai';
import { Problem } from '../../contract/problem.ts';
import { DEFAULT_LIMITS, type HttpLimits, type HttpServer, startHttpServer } from '../http-server.ts';

describe('connection refusal', () => {
  let server: HttpServer;
  let counted: { status: number; method: string | undefined }[] = [];
  const serve = async (
    listener: RequestListener,
    limits: Partial<HttpLimits> = {},
    isExceeded = () => false,
  ) => {
    counted = [];
    server = await startHttpServer(
      0,
      listener,
      { ...DEFAULT_LIMITS, connectionsCheckingInterval: 20, ...limits },
      {
        countRefusal(problem: Problem, _socket: unknown, request?: IncomingMessage) {
          counted.push({ status: problem.status, method: request?.method });
          return isExceeded() ? new Problem('too-many-requests', 'slow down') : problem;
        },
      },
    );
  };
  const open = async () => {
    const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };
  /** Returns the statuses of all responses until the server closes the connection. */
  const statusesOf = async (bytes: string) => {
    const socket = await open();
    socket.write(bytes);
    return statusesIn(await text(socket));
  };
  const statusesIn = (received: string) =>
    [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
  const GARBAGE = '\0garbage\r\n\r\n';
  const at =
    (ms: number): RequestListener =>
    (_, response) =>
      void setTimeout(() => response.end('fine'), ms);
  const now: RequestListener = (_, response) => response.end('fine');
  const CHUNKED = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';

  afterEach(() => server.close());

  it('follows the responses to earlier requests of the same packet', async () => {
    for (const listener of [now, at(50)]) {
      await serve(listener);
      expect(await statusesOf(GET + GARBAGE)).to.deep.equal([200, 400]);
      expect(await statusesOf(GET.repeat(3) + GARBAGE)).to.deep.equal([200, 200, 200, 400]);
      expect(counted).to.deep.equal(Array(2).fill({ status: 400, method: undefined }));
      await server.close();
    }
    await serve(now);
  });

  it('follows these responses for CONNECT and oversized headers too', async () => {
    await serve(at(50));
    const tunnel = 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n';
    expect(await statusesOf(GET + GET + tunnel)).to.deep.equal([200, 200, 405]);
    expect(await statusesOf(tunnel)).to.deep.equal([405]);
    expect(await statusesOf(`${GET}GET / HTTP/1.1\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`)).to.deep.equal([
      200, 431,
    ]);
    expect(counted.map(({ method }) => method)).to.deep.equal(['CONNECT', 'CONNECT', undefined]);
  });

  it('is the only response to a request with a malformed body', async () => {
    await serve(at(50));
    expect(await statusesOf(`${CHUNKED}zz\r\n`)).to.deep.equal([400]);
    expect(await statusesOf(`${CHUNKED}5;${'a'.repeat(20_000)}\r\n`)).to.deep.equal([413]);
    expect(await statusesOf(`${GET}${CHUNKED}zz\r\n`), 'which waits for its turn').to.deep.equal([200, 200]);
  });

  it('is not sent if that request already has a response', async () => {
    await serve(now, { requestTimeout: 200, headersTimeout: 100 });
    const socket = await open();
    const received = text(socket);
    socket.write(CHUNKED);
    await pass(50);
    socket.write('zz\r\n');
    expect(statusesIn(await received)).to.deep.equal([200]);
    expect(
      await statusesOf('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf'),
      'a body that never arrives',
    ).to.deep.equal([200]);
  });

  it('is 429 if the client has exceeded its rate limit', async () => {
    await serve(now, {}, () => counted.length > 1);
    expect([await statusesOf(GARBAGE), await statusesOf(GARBAGE)]).to.deep.equal([[400], [429]]);
  });

  it('is sent only once if Node reports the connection several times', async () => {
    // A busy server reads the request late. Both time limits end before the response.
    await serve(at(1_500), { headersTimeout: 500, requestTimeout: 1_000 });
    const socket = await open();
    const received = text(socket);
    socket.write(GET + GARBAGE);
    for (let i = 0; i < 5; i++) {
      await pass(40);
      socket.write(GARBAGE);
    }
    expect([statusesIn(await received), counted.length]).to.deep.equal([[200, 400], 1]);
  });

  it('is sent and counted once if the client continues to send, and then ends the connection', async () => {
    await serve(now, { lingerTimeout: 300 });
    const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true }).on(
      'error',
      () => undefined,
    );
    let received = '';
    socket.setEncoding('latin1').on('data', (chunk) => {
      received += chunk;
    });
    const sending = setInterval(() => socket.write(GARBAGE.repeat(100)), 10);
    const start = performance.now();
    await new Promise((resolve) => socket.once('close', resolve));
    clearInterval(sending);
    expect(performance.now() - start).to.be.within(200, 5_000);
    expect([statusesIn(received), counted]).to.deep.equal([[400], [{ status: 400, method: undefined }]]);
  });
});
