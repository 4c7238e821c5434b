import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { InFlightResponses, markSelfPaced } from './in-flight-responses.ts';

describe('the responses in flight', () => {
  it('are cut after the delivery timeout, except those that check their client themselves', async () => {
    const cuts: string[] = [];
    const inFlight = new InFlightResponses(
      // A busy client may need this long to read the headers. Without them, it reports another error.
      { deliveryTimeout: 1_000, connectionsCheckingInterval: 10, maxPipelined: 4 },
      (reason) => cuts.push(reason),
    );
    const responses: ServerResponse[] = [];
    const server = createServer((request, response) => {
      if (request.url === '/self-paced') markSelfPaced(response);
      response.flushHeaders();
      inFlight.add(request.socket, response);
      responses.push(response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const ask = async (path: string) => {
      const [answer] = await once(get({ host: '127.0.0.1', port, path }), 'response');
      return answer as IncomingMessage;
    };
    // The export is the older one, so a check that cuts the page would have cut the export first.
    const exported = await ask('/self-paced');
    const page = await ask('/page');
    const [error] = await once(page, 'error');
    expect(error).to.have.property('code', 'ECONNRESET');
    expect(cuts).to.deep.equal(['slow']);
    responses[0]?.end('the end');
    expect((await exported.toArray()).join('')).to.equal('the end');
    server.closeAllConnections();
    server.close();
  });
});
