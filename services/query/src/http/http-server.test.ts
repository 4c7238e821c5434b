import { once } from 'node:events';
import { Agent, get, type IncomingMessage, type RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pass } from 'node:timers/promises';
import { expect } from 'chai';
import { DEFAULT_LIMITS, type HttpLimits, type HttpServer, startHttpServer } from './http-server.ts';

/** Limits that are small enough for a test. */
describe('http server', () => {
  let server: HttpServer;
  let sockets: Socket[] = [];
  let cuts: string[] = [];
  let taken = 0;
  const serve = async (listener: RequestListener, limits: Partial<HttpLimits>) => {
    [cuts, taken, sockets] = [[], 0, []];
    const counted: RequestListener = (request, response) => {
      taken++;
      listener(request, response);
    };
    server = await startHttpServer(
      0,
      counted,
      { ...DEFAULT_LIMITS, connectionsCheckingInterval: 20, ...limits },
      { onDisconnect: (reason) => cuts.push(reason) },
    );
  };
  const open = async (): Promise<Socket> => {
    const socket = connect(server.port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };
  const closed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));
  const received = async (socket: Socket): Promise<string> => {
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    await closed(socket);
    return text;
  };
  const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
  /** Time limits for closing that even a busy machine does not exceed. */
  const ENDLESS = { lateRequestTimeout: 60_000, closeTimeout: 60_000 };

  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await server.close();
  });

  it('answers a request that arrived in time, although a suspended process reads it late', async () => {
    await serve((_, response) => response.end('fine'), { keepAliveTimeout: 50 });
    const socket = await open();
    const text = received(socket);
    socket.write(GET);
    await once(socket, 'data');
    socket.write(GET);
    // Node adds a second to the timeout of idle connections.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
    expect((await text).split('fine')).to.have.length(3);
    expect(taken).to.equal(2);
  });

  it('disconnects a client without traffic', async () => {
    await serve((_, response) => response.end('fine'), { idleTimeout: 50 });
    const socket = await open();
    await closed(socket);
    expect(taken).to.equal(0);
  });

  it('disconnects a client that does not read its response', async () => {
    await serve((_, response) => response.end(Buffer.alloc(50_000_000)), { deliveryTimeout: 150 });
    const socket = await open();
    socket.pause();
    socket.write(GET);
    const started = performance.now();
    while (cuts.length === 0 && performance.now() - started < 5_000) await pass(20);
    expect(cuts).to.deep.equal(['slow']);
    socket.resume();
    await closed(socket);
    expect(socket.bytesRead).to.be.below(50_000_000);
  });

  it('keeps the connection of a client that pauses between requests', async () => {
    await serve((_, response) => response.end('fine'), { deliveryTimeout: 50 });
    const socket = await open();
    socket.write(GET);
    await pass(300);
    expect([cuts, socket.readyState]).to.deep.equal([[], 'open']);
  });

  it('disconnects a client that pipelines too many requests', async () => {
    await serve(() => undefined, { maxPipelined: 10 });
    const socket = await open();
    socket.write(GET.repeat(5_000));
    await closed(socket);
    expect(taken).to.equal(10);
    expect(cuts).to.deep.equal(['pipelining']);
  });

  it('serves any number of consecutive requests on one connection', async () => {
    await serve((_, response) => response.end('fine'), { maxPipelined: 10 });
    const socket = await open();
    socket.write(`${GET.repeat(200)}${GET.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')}`);
    expect((await received(socket)).match(/fine/g)).to.have.lengthOf(201);
  });

  it('responds 408 if a request does not arrive in time', async () => {
    await serve((_, response) => response.end('fine'), { headersTimeout: 100, requestTimeout: 200 });
    const fast = await open();
    fast.write(GET);
    // A busy server may read this request late, so its response must arrive before the time limit matters.
    await once(fast, 'data');
    const slow = await open();
    const dripping = setInterval(() => slow.write('X: y\r\n'), 20);
    slow.write('GET / HTTP/1.1\r\nHost: x\r\n');
    const refused = await received(slow);
    clearInterval(dripping);
    expect(refused)
      .to.match(/^HTTP\/1\.1 408 /)
      .and.to.include('application/problem+json');
    expect(fast.readyState).to.equal('open');
  });

  it('accepts no more connections than its limit', async () => {
    await serve((_, response) => response.end('fine'), { maxConnections: 2 });
    await open();
    await open();
    const third = await open();
    await closed(third);
    expect(cuts).to.deep.equal(['connections']);
  });

  it('closes a connection after its maximum number of requests', async () => {
    await serve((_, response) => response.end('fine'), { maxRequestsPerSocket: 3 });
    const socket = await open();
    const all = received(socket);
    socket.on('data', () => socket.write(GET));
    socket.write(GET);
    const text = await all;
    expect(text.match(/fine/g)).to.have.lengthOf(3);
    expect(text).to.match(/Connection: close/);
  });

  it('completes responses before it closes', async () => {
    await serve((_, response) => void setTimeout(() => response.end('fine'), 200), {});
    const socket = await open();
    const text = received(socket);
    socket.write(GET);
    await pass(50);
    await server.close();
    expect(await text).to.include('fine');
  });

  it('announces the close to pipelining clients, so that they do not delay it', async () => {
    let underWay = 0;
    await serve((_, response) => {
      underWay++;
      response.once('close', () => underWay--);
      setTimeout(() => response.end('fine'), 20);
    }, ENDLESS);
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    let closing = false;
    const answers: string[] = [];
    const ask = async () => {
      for (;;) {
        const [response] = (await once(get({ port: server.port, agent }), 'response')) as [IncomingMessage];
        response.resume();
        await once(response, 'end');
        if (closing) answers.push(String(response.headers.connection));
      }
    };
    // Each client continues until the port is closed.
    const clients = Array.from({ length: 4 }, () =>
      ask().catch((error: NodeJS.ErrnoException) => error.code),
    );
    await pass(100);
    // The server also closes idle connections, and their clients may notice only after the next request.
    while (underWay < 4) await pass(1);
    closing = true;
    const started = performance.now();
    await server.close();
    expect(performance.now() - started, 'milliseconds').to.be.below(ENDLESS.closeTimeout / 2);
    expect(await Promise.all(clients)).to.deep.equal(Array(4).fill('ECONNREFUSED'));
    expect(answers).to.deep.equal(Array(4).fill('close'));
  });

  it('responds to every received request of a connection before it closes', async () => {
    await serve((_, response) => void setTimeout(() => response.end('fine'), 50), {});
    const socket = await open();
    const text = received(socket);
    socket.write(GET.repeat(3));
    await pass(20);
    await server.close();
    expect((await text).match(/fine/g)).to.have.lengthOf(3);
  });

  it('answers a request that has arrived when it closes, although it has not read the request', async () => {
    await serve((_, response) => response.end('fine'), {});
    const connections = await Promise.all(Array.from({ length: 8 }, open));
    const texts = connections.map(received);
    for (const socket of connections) socket.write(GET);
    await Promise.all(connections.map((socket) => once(socket, 'data')));
    for (const socket of connections) socket.write(GET);
    await server.close();
    for (const text of await Promise.all(texts))
      expect(text.match(/Connection: [\w-]+/gi)).to.deep.equal([
        'Connection: keep-alive',
        'Connection: close',
      ]);
  });

  it('keeps an idle connection for a late request, and closes it after the response', async () => {
    await serve((_, response) => response.end('fine'), { lateRequestTimeout: 60_000 });
    const socket = await open();
    const text = received(socket);
    socket.write(GET);
    await once(socket, 'data');
    const closing = server.close();
    const refused = connect(server.port, '127.0.0.1');
    const [error] = await once(refused, 'error');
    expect(error).to.have.property('code', 'ECONNREFUSED');
    expect(socket.readyState).to.equal('open');
    socket.write(GET);
    expect(await text).to.match(/fine.*Connection: close.*fine$/s);
    await closing;
  });

  it('closes an idle connection without a late request', async () => {
    await serve((_, response) => response.end('fine'), { lateRequestTimeout: 50 });
    const socket = await open();
    await server.close();
    await closed(socket);
    expect(taken).to.equal(0);
  });

  it('closes within its time limit even if a response does not end', async () => {
    await serve(() => undefined, { ...ENDLESS, closeTimeout: 100 });
    const socket = await open();
    const text = received(socket);
    socket.write(GET);
    await pass(50);
    const started = performance.now();
    await server.close();
    expect(performance.now() - started, 'milliseconds').to.be.within(50, ENDLESS.lateRequestTimeout / 2);
    expect(await text).to.equal('');
  });
});
