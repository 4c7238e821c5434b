import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { readJson } from './feed-client.ts';

describe('a request of the demo to the query service', () => {
  let service: Server;
  let url: string;
  let responses: { status: number; retryAfter?: string }[];

  before(async () => {
    service = createServer((_, response) => {
      const { status, retryAfter } = responses.shift() ?? { status: 500 };
      response.writeHead(status, retryAfter === undefined ? {} : { 'Retry-After': retryAfter });
      response.end('{"total":3}');
    }).listen(0, '127.0.0.1');
    await once(service, 'listening');
    url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  });
  after(() => {
    service.closeAllConnections();
    service.close();
  });

  const BUSY = { status: 503, retryAfter: '0.01' };
  const NEVER = new AbortController().signal;

  it('is repeated after 503 responses', async () => {
    responses = [BUSY, BUSY, { status: 200 }];
    expect(await readJson(url, NEVER)).to.deep.equal({ total: 3 });
  });

  it('fails after too many 503 responses, and at once after every other error', async () => {
    for (const [given, left] of [
      [[BUSY, BUSY, { status: 200 }], 1],
      [[{ status: 503 }, { status: 200 }], 1],
      [[{ status: 404 }, { status: 200 }], 1],
    ] as const) {
      responses = [...given];
      const failure = await readJson(url, NEVER, 2).catch((error: Error) => error.message);
      expect(failure).to.equal(`${url} responds with ${given[0].status}`);
      expect(responses).to.have.length(left);
    }
  });

  it('ends with its signal while it waits', async () => {
    responses = [{ status: 503, retryAfter: '3600' }];
    const ending = new AbortController();
    service.once('request', (_, response) => response.on('finish', () => ending.abort()));
    const failure = (await readJson(url, ending.signal).catch((error: unknown) => error)) as Error;
    expect(failure.name).to.equal('AbortError');
  });
});
