import { generateItems } from '@vitrine/fixtures';
import { TIME_LIMITS } from '@vitrine/query';
import { expect } from 'chai';
import { engines } from '../support/engines.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { fetchAccepted } from '../support/fetch-accepted.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';
import { eventually, metricOf, startService } from '../support/service-process.ts';

const ATTEMPTS = 3;

describe('query service: outages', () => {
  let proxy: FaultProxy;
  let deployment: QueryDeployment;
  const feed = () => fetch(`${deployment.origin}/api/ai-feed`);
  /** Just after an outage, a search may still be slow. */
  const expectRecovered = async () => {
    const { status } = await fetchAccepted(`${deployment.origin}/api/ai-feed`, { attempts: ATTEMPTS });
    expect(status).to.equal(200);
  };
  const isReady = async () => (await fetch(`${deployment.admin}/health/ready`)).status === 200;
  const becomes = (ready: boolean) =>
    eventually(ready ? 'ready' : 'unready', async () => (await isReady()) === ready);
  /** A service that waits for too long is slow every time. A busy machine is slow only in some attempts. */
  const expectUnavailable = async (withinMs: number) => {
    let fastest = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < ATTEMPTS && fastest >= withinMs; attempt++) {
      const start = performance.now();
      const response = await feed();
      fastest = Math.min(fastest, performance.now() - start);
      expect(response.status).to.equal(503);
      expect(Number(response.headers.get('retry-after'))).to.be.above(0);
      expect(response.headers.get('content-type')).to.equal('application/problem+json');
      expect(await response.text()).not.to.match(/elastic|127\.0\.0\.1|index|ECONN/i);
    }
    expect(fastest).to.be.below(withinMs);
  };

  before(async () => {
    proxy = await startFaultProxy((await engines()).settings.ELASTICSEARCH_URL);
    deployment = await startQuery({
      env: { ELASTICSEARCH_URL: proxy.url, CACHE_BYTES: '0' },
      timeLimits: TIME_LIMITS,
    });
  });
  after(async () => {
    await deployment?.close();
    await proxy?.close();
  });

  it('is unready and responds 503 until the index exists', async () => {
    await expectUnavailable(2_000);
    expect(await isReady()).to.equal(false);
    expect((await fetch(`${deployment.admin}/health/live`)).status).to.equal(200);
    await deployment.createIndex(generateItems(30));
    await becomes(true);
    await expectRecovered();
  });

  it('responds 503 at once while Elasticsearch is unreachable, and recovers automatically', async () => {
    proxy.become('refuse');
    await expectUnavailable(2_000);
    await becomes(false);
    proxy.become('open');
    await becomes(true);
    await expectRecovered();
  });

  it("answers the agents' tools with an error for the model, without details of the service", async () => {
    const call = async () => {
      const response = await fetch(`${deployment.origin}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'search_listings', arguments: {} },
        }),
      });
      expect(response.status).to.equal(200);
      const { result } = (await response.json()) as {
        result: { isError?: boolean; content: { text: string }[] };
      };
      return { isError: result.isError === true, text: result.content[0]?.text };
    };
    proxy.become('refuse');
    expect(await call()).to.deep.equal({
      isError: true,
      text: 'The feed is temporarily unavailable. Try again in 5 seconds.',
    });
    const failed = 'tool="search_listings",outcome="outage"';
    expect(await metricOf(deployment.admin, 'agent_tool_duration_seconds_count', failed)).to.equal(1);
    proxy.become('open');
    await becomes(true);
    expect((await call()).isError).to.equal(false);
  });

  it('responds 503 within a time limit while Elasticsearch is unresponsive, and recovers automatically', async () => {
    proxy.become('silent');
    await Promise.all([expectUnavailable(9_000), expectUnavailable(9_000)]);
    await becomes(false);
    proxy.become('open');
    await becomes(true);
    await expectRecovered();
  });

  it('responds 503 while Elasticsearch is stopped, and recovers after its restart', async function () {
    const { elasticsearch } = await engines();
    if (!elasticsearch) return this.skip();
    await elasticsearch.stop();
    await expectUnavailable(9_000);
    await elasticsearch.start();
    await becomes(true);
    await expectRecovered();
  });

  it('exits with one clear message if a port is in use or a setting is invalid', async () => {
    const { ELASTICSEARCH_URL } = (await engines()).settings;
    const taken = startService('query', {
      ELASTICSEARCH_URL,
      PORT: String(deployment.port),
      ADMIN_PORT: '0',
    });
    expect(await taken.exited).to.equal(1);
    expect(taken.log()).to.include(`another process already uses port ${deployment.port}. Set PORT`);
    const bad = startService('query', { ELASTICSEARCH_URL: 'x', PORT: 'y' });
    expect(await bad.exited).to.equal(1);
    expect(bad.log()).to.include('ELASTICSEARCH_URL').and.to.include('PORT');
  });

  it('stops gracefully after SIGTERM', async () => {
    const { ELASTICSEARCH_URL } = (await engines()).settings;
    const service = startService('query', { ELASTICSEARCH_URL, PORT: '0', ADMIN_PORT: '0' });
    await eventually('started', async () => service.log().includes('the feeds are served'));
    expect(await service.end('SIGTERM')).to.equal(0);
  });
});
