import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type Attributes, type Span, trace } from '@opentelemetry/api';
import { expect } from 'chai';
import { traceRequests } from './request-tracing.ts';

describe('the span of a request', () => {
  afterEach(() => trace.disable());

  /** Sends a request, calls `then`, and returns the attributes that the span has at its end. */
  const attributesAfter = async (listener: RequestListener, then: (end: () => void) => void) => {
    const ended = Promise.withResolvers<Attributes>();
    const attributes: Attributes = {};
    const span: Partial<Span> = {
      setAttribute: (name, value) => Object.assign(attributes, { [name]: value }) && (span as Span),
      setStatus: () => span as Span,
      end: () => ended.resolve(attributes),
    };
    trace.setGlobalTracerProvider({
      getTracer: () => ({ startSpan: () => span as Span, startActiveSpan: () => undefined as never }),
    });
    const server = createServer((request, response) => {
      traceRequests(listener)(request, response);
      then(() => client.destroy());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    try {
      return await ended.promise;
    } finally {
      client.destroy();
      server.close();
    }
  };

  it('has the status of the response', async () => {
    const attributes = await attributesAfter(
      (_, response) => response.writeHead(404).end(),
      () => undefined,
    );
    expect(attributes).to.deep.equal({ 'http.response.status_code': 404 });
  });

  it('has the status 499 if the client disconnects before the response', async () => {
    const attributes = await attributesAfter(
      () => undefined,
      (disconnect) => disconnect(),
    );
    expect(attributes).to.deep.equal({ 'http.response.status_code': 499 });
  });
});
