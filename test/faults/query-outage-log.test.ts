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
    this.timeout((SECONDS + 90) * 1_000);
    let output = '';
    let bytes = 0;
    query.process.child.stdout?.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      // The test parses only lines within the limit. Beyond the limit, it counts bytes.
      if (bytes < 10 * MAX_BYTES) output += chunk;
    });
    await proxy.leave();
    const { samples } = await loadFromProcess({
      kind: 'open loop',
      origin: query.origin,
      perSecond: PER_SECOND,
      seconds: SECONDS,
      cheap: '/api/openapi.json',
      target: '/api/ai-feed',
    });
    await proxy.comeBack();
    expect([...new Set(samples.map(({ status }) => status))]).to.deep.equal([503]);
    const refused = samples.length;
    expect(refused).to.be.at.least(PER_SECOND * SECONDS);
    expect(bytes, 'bytes of log during the outage').to.be.above(0).and.below(MAX_BYTES);

    await eventually('"outage ended" in the log', async () => output.includes('"msg":"outage ended"'));
    const lines = output
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line);
    const of = (msg: string) => lines.filter((line) => line.msg === msg);
    expect(of('outage began')).to.have.lengthOf(1);
    expect(of('outage began')[0]?.reason).to.include('ECONNREFUSED');
    expect(of('outage ended')).to.have.lengthOf(1);
    expect(of('outage ended')[0]?.durationSeconds).to.be.within(SECONDS - 1, SECONDS + 20);
    expect(of('outage continues').length).to.be.at.most(Math.ceil((SECONDS + 20) / SUMMARY_EVERY_SECONDS));
    // While the queue for Elasticsearch is full, a refusal counts as overload. The log must count each
    // refusal exactly once.
    const ended = lines.filter(({ msg }) => / ended$/.test(msg));
    expect(ended.reduce((sum, { requests = 0 }) => sum + requests, 0)).to.equal(refused);
    expect(lines.filter(({ level }) => level === 'error' || level === 'fatal')).to.deep.equal([]);
    expect(bytes, 'bytes of log, including the end of the outage').to.be.below(MAX_BYTES);
  });
});
