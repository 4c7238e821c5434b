import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { type AdminServer, startAdminServer } from './admin-server.ts';

describe('admin server', () => {
  let admin: AdminServer;
  let fails = false;
  const origin = () => `http://127.0.0.1:${admin.port}`;
  const orThrow = <T>(value: T): T => {
    if (fails) throw new Error('secret');
    return value;
  };

  before(async () => {
    const metrics = { contentType: 'text/plain', metrics: async () => orThrow('up 1\n') };
    admin = await startAdminServer(0, metrics, () => orThrow({ ready: false, reasons: ['waiting'] }));
  });
  after(() => admin.close());

  it('serves health and metrics', async () => {
    const [live, ready, metrics] = await Promise.all(
      ['/health/live?x', '/health/ready', '/metrics'].map((path) => fetch(origin() + path)),
    );
    expect([live?.status, ready?.status, metrics?.status]).to.deep.equal([200, 503, 200]);
    expect(await ready?.json()).to.deep.equal({ ready: false, reasons: ['waiting'] });
    expect(await metrics?.text()).to.equal('up 1\n');
  });

  it('allows only reads, and responds to every method', async () => {
    expect((await fetch(`${origin()}/metrics`, { method: 'HEAD' })).status).to.equal(200);
    for (const method of ['POST', 'OPTIONS', 'DELETE']) {
      const response = await fetch(`${origin()}/metrics`, { method });
      expect([response.status, response.headers.get('allow')], method).to.deep.equal([405, 'GET, HEAD']);
    }
    const socket = connect(admin.port, '127.0.0.1');
    socket.write('CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n');
    expect(await text(socket)).to.match(/^HTTP\/1\.1 405 .*\r\nAllow: GET, HEAD\r\n/);
    expect((await fetch(`${origin()}/nowhere`)).status).to.equal(404);
  });

  it('survives a failing probe or collection without revealing its error', async () => {
    fails = true;
    for (const path of ['/health/ready', '/metrics']) {
      const response = await fetch(origin() + path);
      expect(response.status, path).to.equal(500);
      expect(await response.text()).not.to.include('secret');
    }
    fails = false;
    expect((await fetch(`${origin()}/metrics`)).status).to.equal(200);
  });

  it('answers a request that has arrived when it closes, and then closes the connection', async () => {
    const metrics = { contentType: 'text/plain', metrics: async () => 'up 1\n' };
    const closing = await startAdminServer(0, metrics, () => ({ ready: true, reasons: [] }));
    const socket = connect(closing.port, '127.0.0.1');
    const received = text(socket);
    const request = 'GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n';
    socket.write(request);
    await once(socket, 'data');
    socket.write(request);
    await closing.close();
    expect((await received).match(/^Connection: [\w-]+|^up 1/gm)).to.deep.equal([
      'Connection: keep-alive',
      'up 1',
      'Connection: close',
      'up 1',
    ]);
  });
});
