import dns from 'node:dns';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errors } from '@elastic/elasticsearch';
import { createElasticsearch, measureElasticsearch } from '@vitrine/runtime/elasticsearch';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { sendDirectly } from './direct-search.ts';
import { ResponseReader } from './response-reader.ts';
import { PageTooLarge } from './search-failure.ts';

describe('direct search', () => {
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });
  const serve = async (listener: RequestListener): Promise<string> => {
    const server: Server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    ends.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const client = (url: string, auth?: { apiKey: string }) => {
    const elasticsearch = createElasticsearch({
      url,
      requestTimeout: 1_000,
      maxRetries: 0,
      ...(auth && { auth }),
    });
    const registry = new Registry();
    measureElasticsearch(elasticsearch, registry);
    ends.push(() => elasticsearch.close());
    const outcomes = async () =>
      [...(await registry.metrics()).matchAll(/_count{operation="search",outcome="(\w+)"} (\d+)/g)].map(
        ([, outcome, count]) => `${outcome} ${count}`,
      );
    const send = (signal = new AbortController().signal, pageBytes = 1_000_000) =>
      sendDirectly(
        { elasticsearch, responses: new ResponseReader(pageBytes) },
        '/p-items/_search',
        { size: 20 },
        { hits: 20, opaqueId: 'name', signal },
      ).then(
        ({ status, bytes }) => `${status} ${bytes}`,
        (error: unknown) => error,
      );
    return { elasticsearch, send, outcomes };
  };
  const elastic: RequestListener = (_, response) => {
    response.setHeader('x-elastic-product', 'Elasticsearch');
    response.end('{}');
  };

  it('sends the search with the credentials, below the path of the node', async () => {
    const heard: unknown[] = [];
    const url = await serve((request, response) => {
      const { authorization, 'x-opaque-id': name, 'content-type': type, accept } = request.headers;
      heard.push(request.method, request.url, authorization, name, type, accept);
      elastic(request, response);
    });
    const { send, outcomes } = client(`${url}/behind`, { apiKey: 'key' });
    expect(await send()).to.equal('200 {}');
    const type = 'application/vnd.elasticsearch+json; compatible-with=9';
    const expected = ['POST', '/behind/p-items/_search', 'ApiKey key', 'name', type, type];
    expect(heard).to.deep.equal(expected);
    expect(await outcomes()).to.deep.equal(['2xx 1']);
  });

  it('returns the response of a refusal', async () => {
    const { send, outcomes } = client(await serve((_, response) => response.writeHead(429).end('full')));
    expect(await send()).to.equal('429 full');
    expect(await outcomes()).to.deep.equal(['4xx 1']);
  });

  it('refuses a successful response of another product', async () => {
    const { send, outcomes } = client(await serve((_, response) => response.end('{}')));
    expect(await send()).to.be.instanceOf(errors.ProductNotSupportedError);
    expect(await outcomes(), 'it was reachable').to.deep.equal(['2xx 1']);
  });

  it('tries the other node if the connection fails, and then avoids the failed node', async () => {
    const { send, outcomes } = client(`http://127.0.0.1:9,${await serve(elastic)}`);
    for (let i = 0; i < 4; i++) expect(await send()).to.equal('200 {}');
    expect(await outcomes(), 'no search failed').to.deep.equal(['2xx 4']);
  });

  it('fails if no node can be reached', async () => {
    const { send, outcomes } = client('http://127.0.0.1:9,http://127.0.0.1:10');
    expect(await send()).to.be.instanceOf(errors.ConnectionError);
    expect(await outcomes()).to.deep.equal(['unreachable 1']);
  });

  it('names both ends of a connection that failed', async () => {
    const closing = await serve(({ socket }) => socket.end());
    const { port } = new URL(closing);
    expect(await client(closing).send())
      .to.have.property('message')
      .that.matches(new RegExp(`^other side closed - Local: 127.0.0.1:\\d+, Remote: 127.0.0.1:${port}$`));
  });

  it('gives a reason if the name of the node has several addresses, and none accepts a connection', async () => {
    const { lookup } = dns;
    ends.push(() => Object.assign(dns, { lookup }));
    const both = [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ];
    Object.assign(dns, {
      lookup: (_name: string, _options: object, found: (e: null, all: object) => void) => found(null, both),
    });
    expect(await client('http://node.test:9').send())
      .to.be.instanceOf(errors.ConnectionError)
      .with.property('message', 'connection failed (http://node.test:9/)');
  });

  it('does not repeat a search that timed out', async () => {
    let requests = 0;
    const url = await serve(() => void requests++);
    const { send, outcomes } = client(`${url},${url}/second`);
    expect(await send()).to.be.instanceOf(errors.TimeoutError);
    expect(requests).to.equal(1);
    expect(await outcomes()).to.deep.equal(['timeout 1']);
  });

  it('closes the connection if the caller gives up', async () => {
    const caller = new AbortController();
    const closed = Promise.withResolvers<void>();
    const url = await serve(({ socket }) => {
      socket.once('close', () => closed.resolve());
      caller.abort();
    });
    const { send, outcomes } = client(url);
    expect(await send(caller.signal)).to.be.instanceOf(errors.RequestAbortedError);
    await closed.promise;
    expect(await outcomes()).to.deep.equal(['aborted 1']);
    expect(await send(caller.signal), 'before it begins').to.be.instanceOf(errors.RequestAbortedError);
  });

  it('fails with the reason of the caller if it gives up during the response', async () => {
    const url = await serve((_, response) => {
      response.setHeader('x-elastic-product', 'Elasticsearch');
      response.write('{"hits":');
    });
    const caller = new AbortController();
    const { elasticsearch, send } = client(url);
    // The client reports a response when its headers have arrived.
    elasticsearch.diagnostic.once('response', () =>
      setImmediate(() => caller.abort(new DOMException('late', 'TimeoutError'))),
    );
    expect(await send(caller.signal)).to.include({ name: 'TimeoutError', code: 23 });
  });

  it('ends a response that is too large, and one that its server breaks off', async () => {
    const begun: RequestListener = (_, response) => {
      response.setHeader('x-elastic-product', 'Elasticsearch');
      response.write('{"hits":');
    };
    const endless = await serve((request, response) => {
      begun(request, response);
      response.write(' '.repeat(2_000_000));
    });
    expect(await client(endless).send()).to.be.instanceOf(PageTooLarge);
    const broken = await serve((request, response) => {
      begun(request, response);
      setImmediate(() => response.destroy());
    });
    expect(await client(broken).send())
      .to.be.instanceOf(Error)
      .with.property('code');
  });
});
