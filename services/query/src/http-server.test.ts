import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pass } from 'node:timers/promises';
import { expect } from 'chai';
import { DEFAULT_LIMITS, type HttpLimits, type HttpServer, startHttpServer } from './http-server.ts';

/** The limits themselves, made small. */
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
    server = await startHttpServer(0, counted, { ...DEFAULT_LIMITS, connectionsCheckingInterval: 20, ...limits }, (reason) => cuts.push(reason));
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

  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await server.close();
  });

  it('cuts a client off that does not read its answer', async () => {
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

  it('leaves a client alone that takes its time with the next request', async () => {
    await serve((_, response) => response.end('fine'), { deliveryTimeout: 50 });
    const socket = await open();
    socket.write(GET);
    await pass(300);
    expect([cuts, socket.readyState]).to.deep.equal([[], 'open']);
  });

  it('cuts a client off that asks on and on without an answer', async () => {
    await serve(() => undefined, { maxPipelined: 10 });
    const socket = await open();
    socket.write(GET.repeat(5_000));
    await closed(socket);
    expect(taken).to.equal(10);
    expect(cuts).to.deep.equal(['pipelining']);
  });

  it('answers any number of requests on one connection that are answered one by one', async () => {
    await serve((_, response) => response.end('fine'), { maxPipelined: 10 });
    const socket = await open();
    socket.write(`${GET.repeat(200)}${GET.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')}`);
    expect((await received(socket)).match(/fine/g)).to.have.lengthOf(201);
  });

  it('refuses a client whose request does not arrive', async () => {
    await serve((_, response) => response.end('fine'), { headersTimeout: 100, requestTimeout: 200 });
    const [slow, fast] = [await open(), await open()];
    const dripping = setInterval(() => slow.write('X: y\r\n'), 20);
    slow.write('GET / HTTP/1.1\r\nHost: x\r\n');
    fast.write(GET);
    const refused = await received(slow);
    clearInterval(dripping);
    expect(refused)
      .to.match(/^HTTP\/1\.1 408 /)
      .and.to.include('application/problem+json');
    expect(fast.readyState).to.equal('open');
  });

  it('takes no more connections than it may', async () => {
    await serve((_, response) => response.end('fine'), { maxConnections: 2 });
    await open();
    await open();
    const third = await open();
    await closed(third);
    expect(cuts).to.deep.equal(['connections']);
  });

  it('closes a connection after so many requests', async () => {
    await serve((_, response) => response.end('fine'), { maxRequestsPerSocket: 3 });
    const socket = await open();
    const all = received(socket);
    socket.on('data', () => socket.write(GET));
    socket.write(GET);
    const text = await all;
    expect(text.match(/fine/g)).to.have.lengthOf(3);
    expect(text).to.match(/Connection: close/);
  });

  it('lets answers end before it closes', async () => {
    await serve((_, response) => void setTimeout(() => response.end('fine'), 200), {});
    const socket = await open();
    const text = received(socket);
    socket.write(GET);
    await pass(50);
    await server.close();
    expect(await text).to.include('fine');
  });
});
