import { generateItems, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { engines } from '../support/engines.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { loadFromProcess } from '../support/http-load.ts';
import { type QueryProcess, startQueryProcess } from '../support/query-service.ts';
import { eventually } from '../support/service-process.ts';

const SECONDS = process.env.VITRINE_FULL === '1' ? 60 : 8;
const PER_SECOND = 2_000;
const MAX_BYTES = (100_000 * SECONDS) / 60;
const SUMMARY_EVERY_SECONDS = 30;

interface Line {
  level: string;
  msg: string;
  reason?: string;
  requests?: number;
  durationSeconds?: number;
  reasons?: Record<string, number>;
}

describe('query service: the log of an outage', () => {
  let proxy: FaultProxy;
  let query: QueryProcess;

  before(async () => {
    proxy = await startFaultProxy((await engines()).settings.ELASTICSEARCH_URL);
    query = await startQueryProcess(generateItems(10), {
      ELASTICSEARCH_URL: proxy.url,
      FEED_TODAY: TODAY,
      CACHE_BYTES: '0',
    });
  });
  after(async () => {
    await query?.close();
    await proxy?.close();
  });

  it(`has few lines, which count every request, after ${SECONDS} s of ${PER_SECOND} requests/s`, async function () {
    this.timeout((SECONDS + 600) * 1_000);
    let output = '';
    let bytes = 0;
    query.process.child.stdout?.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      // The test parses only lines within the limit. Beyond the limit, it counts bytes.
      if (bytes < 10 * MAX_BYTES) output += chunk;
    });
    const leftAt = performance.now();
    await proxy.leave();
    const { samples } = await loadFromProcess({
      kind: 'open loop',
      origin: query.origin,
      perSecond: PER_SECOND,
      seconds: SECONDS,
      cheap: '/api/openapi.json',
      target: '/api/ai-feed',
    });
    const awaySeconds = (performance.now() - leftAt) / 1_000;
    await proxy.comeBack();
    expect([...new Set(samples.map(({ status }) => status))]).to.deep.equal([503]);
    const refused = samples.length;
    expect(refused).to.be.at.least(PER_SECOND * SECONDS);
    expect(bytes, 'bytes of log during the outage').to.be.above(0).and.below(MAX_BYTES);

    const lines = await eventually('the ends of the outage and of each overload in the log', async () => {
      // The last line may be incomplete.
      const written = output
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Line);
      const count = (pattern: RegExp) => written.filter(({ msg }) => pattern.test(msg)).length;
      const isOver = count(/^outage ended$/) > 0 && count(/ ended$/) === count(/ began$/);
      return isOver && written;
    });
    const of = (msg: string) => lines.filter((line) => line.msg === msg);
    expect(of('outage began')).to.have.lengthOf(1);
    expect(of('outage ended')).to.have.lengthOf(1);
    // A request that was in progress when the proxy left fails for another reason, and may fail first.
    const [{ durationSeconds, reasons = {} } = {}] = of('outage ended');
    expect(Object.keys(reasons).join()).to.include('ECONNREFUSED');
    // The log must not count the quiet seconds after the last failure.
    expect(durationSeconds).to.be.within(SECONDS - 1, awaySeconds + 5);
    expect(of('outage continues').length).to.be.at.most(
      Math.ceil((awaySeconds + 20) / SUMMARY_EVERY_SECONDS),
    );
    // While the queue for Elasticsearch is full, a refusal counts as overload. The log must count each
    // refusal exactly once.
    const ended = lines.filter(({ msg }) => / ended$/.test(msg));
    expect(ended.reduce((sum, { requests = 0 }) => sum + requests, 0)).to.equal(refused);
    expect(lines.filter(({ level }) => level === 'error' || level === 'fatal')).to.deep.equal([]);
    expect(bytes, 'bytes of log, including the end of the outage').to.be.below(MAX_BYTES);
  });
});
