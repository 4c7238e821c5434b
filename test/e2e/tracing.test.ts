import { MarketEvents } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { engines } from '../support/engines.ts';
import { fetchAccepted } from '../support/fetch-accepted.ts';
import { startQueryProcess } from '../support/query-service.ts';
import { eventually, startService } from '../support/service-process.ts';
import { type Collector, type ReceivedSpan, startCollector } from '../support/trace-collector.ts';

const SERVER = 2;
const CLIENT = 3;
const CONSUMER = 5;

/** A trace context in the form that another service would send. */
const parent = (digit: string) => {
  const [traceId, spanId] = [digit.repeat(32), digit.repeat(16)];
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-01` };
};

describe('traces', () => {
  let collector: Collector;
  const env = () => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  });
  const received = (what: string, test: (span: ReceivedSpan) => boolean) =>
    eventually(what, async () => collector.spans.find(test));

  before(async () => {
    collector = await startCollector();
  });
  after(() => collector.close());

  it("lead from a request to its search, below the client's span", async () => {
    const asked = parent('a');
    const query = await startQueryProcess([], {
      ...(await engines()).settings,
      ...env(),
      OTEL_SERVICE_NAME: 'feeds',
      CACHE_FRESH_SECONDS: '3600',
    });
    try {
      const get = async () =>
        (
          await fetchAccepted(`${query.origin}/api/ai-feed`, {
            headers: { traceparent: asked.traceparent },
          })
        ).text();
      await get();
      const request = await received(
        'the request',
        ({ traceId, attributes }) => traceId === asked.traceId && attributes['vitrine.cache'] === 'miss',
      );
      expect(request).to.deep.include({ service: 'feeds', kind: SERVER, parentSpanId: asked.spanId });
      expect(request.attributes).to.include({
        'vitrine.operation': 'getAiFeed',
        'http.response.status_code': 200,
        'url.path': '/api/ai-feed',
      });
      const search = await received(
        'the search',
        ({ parentSpanId, name }) => parentSpanId === request.spanId && name === 'search',
      );
      expect(search).to.deep.include({ kind: CLIENT, traceId: asked.traceId });
      await get();
      await received(
        'the second request',
        ({ traceId, attributes }) => traceId === asked.traceId && attributes['vitrine.cache'] === 'fresh',
      );
    } finally {
      await query.close();
    }
  });

  it("name the agents' tool and how its call ended", async () => {
    const asked = parent('f');
    const query = await startQueryProcess([], { ...(await engines()).settings, ...env() });
    try {
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'list_facets', arguments: { facet: 'street' } },
      });
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        traceparent: asked.traceparent,
      };
      await (await fetch(`${query.origin}/mcp`, { method: 'POST', headers, body })).text();
      const { attributes } = await received(
        'the request',
        ({ traceId, kind }) => traceId === asked.traceId && kind === SERVER,
      );
      expect(attributes).to.include({
        'vitrine.operation': 'mcp',
        'vitrine.tool': 'list_facets',
        'vitrine.tool.outcome': 'bad_arguments',
      });
    } finally {
      await query.close();
    }
  });

  it('truncate long text from clients', async () => {
    const asked = parent('e');
    const query = await startQueryProcess([], { ...(await engines()).settings, ...env() });
    try {
      const headers = { traceparent: asked.traceparent, 'user-agent': 'a'.repeat(8_000) };
      await (
        await fetch(`${query.origin}/api/nowhere${'/c'.repeat(1_500)}?${'d'.repeat(3_000)}`, { headers })
      ).text();
      const { attributes } = await received('the request', ({ traceId }) => traceId === asked.traceId);
      expect([String(attributes['url.path']).length, String(attributes['url.query']).length]).to.deep.equal([
        1_024, 1_024,
      ]);
      expect(attributes).not.to.have.property('user_agent.original');
    } finally {
      await query.close();
    }
  });

  it('are sent as protobuf by default, and the last spans are sent when the service stops', async () => {
    const asked = parent('b');
    const query = await startQueryProcess([], {
      ...(await engines()).settings,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_BSP_SCHEDULE_DELAY: '60000',
    });
    await (
      await fetch(`${query.origin}/api/ai-feed`, { headers: { traceparent: asked.traceparent } })
    ).text();
    await query.close();
    expect(Buffer.concat(collector.protobufs).includes(Buffer.from(asked.traceId, 'hex'))).to.equal(true);
  });

  it('lead from a record through its chunk to the bulk request that wrote it', async () => {
    const [byEvent, byHeader] = [parent('c'), parent('d')];
    const market = new MarketEvents();
    const deployment: Deployment = await createDeployment('tracing', 1);
    const [first, second, third] = [market.snapshot(1), market.snapshot(2), market.snapshot(3)];
    const withParent = JSON.stringify({
      ...JSON.parse(String(first.value)),
      traceparent: byEvent.traceparent,
    });
    await deployment.publish([
      { ...first, value: withParent },
      { ...second, headers: { traceparent: byHeader.traceparent } },
      third,
    ]);
    const projector = startService('projector', { ...deployment.env, ...env() });
    try {
      const [ofEvent, ofHeader] = await Promise.all(
        [byEvent, byHeader].map(({ spanId }) =>
          received('the record', ({ parentSpanId }) => parentSpanId === spanId),
        ),
      );
      expect(ofEvent).to.deep.include({
        service: 'vitrine-projector',
        name: `process ${deployment.topic}`,
        kind: CONSUMER,
        traceId: byEvent.traceId,
      });
      expect(ofEvent?.attributes).to.include({
        'messaging.kafka.message.key': first.key,
        'messaging.destination.partition.id': '0',
      });
      const [chunkLink] = ofEvent?.links ?? [];
      const chunk = await received('the chunk', ({ spanId }) => spanId === chunkLink?.spanId);
      expect(ofHeader?.links[0]?.spanId, 'both records are in one chunk').to.equal(chunk.spanId);
      expect(chunk.attributes['messaging.batch.message_count']).to.equal(3);
      expect(chunk.links.map(({ traceId }) => traceId)).to.deep.equal([byEvent.traceId, byHeader.traceId]);
      const below = collector.spans
        .filter(({ parentSpanId }) => parentSpanId === chunk.spanId)
        .map(({ name }) => name);
      const expected = ['mget', 'bulk', 'bulk', 'indices.resolve_index', 'bulk'];
      expect(below, 'states, items, then changes of the live generation').to.deep.equal(expected);
    } finally {
      await projector.end();
      await deployment.close();
    }
  });
});
