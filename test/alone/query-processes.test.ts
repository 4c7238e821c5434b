import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { setTimeout as pass } from 'node:timers/promises';
import { generateItems, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { engines } from '../support/engines.ts';
import { fetchAccepted } from '../support/fetch-accepted.ts';
import { closedLoop, sample } from '../support/http-load.ts';
import { type QueryProcess, startQueryProcess } from '../support/query-service.ts';
import { eventually, metricIn, scrape } from '../support/service-process.ts';

const CLIENTS = 8;
/** The first process gives each process 15 s to stop. */
const STOP_WITHIN_MS = 20_000;

describe('query service: several processes on one port', () => {
  let query: QueryProcess;
  const children = (): number[] => {
    const pid = query.process.child.pid ?? 0;
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
      .map(Number);
  };

  before(async function () {
    if (process.platform !== 'linux') this.skip();
    const { ELASTICSEARCH_URL } = (await engines()).settings;
    query = await startQueryProcess(generateItems(200), {
      ELASTICSEARCH_URL,
      FEED_TODAY: TODAY,
      PROCESSES: '2',
      // No process makes the same page twice during a test.
      CACHE_FRESH_SECONDS: '3600',
    });
  });
  after(() => query?.close());

  it('a thousand equal requests for an uncached page cause one search per process', async () => {
    const agent = new Agent({ maxSockets: 100 });
    const samples = await Promise.all(
      Array.from({ length: 1_000 }, (_, i) =>
        sample(agent, query.origin, `/api/ai-feed?city=recife&utm=${i}`),
      ),
    );
    expect(new Set(samples.map(({ status }) => status))).to.deep.equal(new Set([200]));
    expect(await query.metric('elasticsearch_search_duration_seconds_count')).to.be.within(1, 2);
    expect(await query.metric('http_requests_total', 'status="200"')).to.equal(1_000);
  });

  it('a frozen process takes no new connections', async () => {
    const [frozen = 0] = children();
    process.kill(frozen, 'SIGSTOP');
    try {
      await eventually('the process is stopped', async () =>
        /\) T /.test(readFileSync(`/proc/${frozen}/stat`, 'utf8')),
      );
      // Each concurrent request opens a connection. Without a response, `fetch` throws.
      const signal = AbortSignal.timeout(60_000);
      const responses = await Promise.all(
        Array.from({ length: 20 }, () => fetchAccepted(`${query.origin}/api/ai-feed`, { signal })),
      );
      expect(new Set(responses.map(({ status }) => status))).to.deep.equal(new Set([200]));
      await Promise.all(responses.map((response) => response.arrayBuffer()));
    } finally {
      process.kill(frozen, 'SIGCONT');
    }
  });

  it('a killed process is replaced, and the other process continues to serve', async () => {
    const before = children();
    expect(before).to.have.lengthOf(2);
    let isOver = false;
    const load = closedLoop(
      query.origin,
      CLIENTS,
      () => '/api/ai-feed',
      () => isOver,
    );
    await pass(500);
    process.kill(before[0] ?? 0, 'SIGKILL');
    const killedAt = performance.now();
    await eventually(
      'a new process',
      async () => children().length === 2 && !children().includes(before[0] ?? 0),
      120_000,
    );
    // Under load, the other process may report late, and then counts as frozen for a moment.
    await eventually('ready', async () => (await readiness()).status === 200);
    await pass(2_000);
    isOver = true;
    const samples = await load;
    const failed = samples.filter(({ status }) => status !== 200);
    expect(failed.length, 'failed requests, which were in the killed process').to.be.below(CLIENTS + 1);
    expect(samples.filter(({ at, status }) => at > killedAt + 1_000 && status !== 200)).to.deep.equal([]);
    expect(query.process.log()).to.include('a process exited; a new one replaces it');
  });

  const readiness = async () => {
    const response = await fetch(`${query.admin}/health/ready`);
    return {
      status: response.status,
      reasons: ((await response.json()) as { reasons: string[] }).reasons.join(),
    };
  };
  const processesIn = (state: string) => query.metric('query_processes', `state="${state}"`);
  const serving = () =>
    eventually('two processes serve', async () => (await processesIn('responding')) === 2, 120_000);

  it('a frozen process is reported by readiness and log, and replaced, and metrics stay available', async () => {
    await serving();
    const before = children();
    const [frozen = 0, other] = before;
    const counted = await query.metric('http_requests_total');
    process.kill(frozen, 'SIGSTOP');
    await eventually(
      'the frozen process in the readiness report',
      async () => (await readiness()).reasons.includes(`process ${frozen} has not responded`),
      120_000,
    );
    expect((await readiness()).status, 'readiness, because the other process serves').to.equal(200);
    const asked = performance.now();
    // The test needs all values from one scrape, because the frozen process is killed within seconds.
    const scraped = await scrape(query.admin);
    expect(performance.now() - asked, 'milliseconds that Prometheus waits').to.be.below(10_000);
    expect(metricIn(scraped, 'query_processes', 'state="frozen"')).to.equal(1);
    expect(metricIn(scraped, 'query_processes', 'state="responding"')).to.equal(1);
    expect(
      metricIn(scraped, 'http_requests_total'),
      'requests, including those that the frozen process counted',
    ).to.be.at.least(counted);
    expect(metricIn(scraped, 'service_ready')).to.equal(1);
    // An alert counts the restarts of the first process, which is at most as old as this test.
    const startedAt = metricIn(scraped, 'process_start_time_seconds');
    expect(startedAt).to.be.within(Date.now() / 1_000 - 3_600, Date.now() / 1_000);
    await eventually(
      'a new process',
      async () => children().length === 2 && !children().includes(frozen),
      120_000,
    );
    expect(children()).to.include(other);
    await serving();
    await eventually('nothing to report', async () => (await readiness()).reasons === '', 120_000);
    for (const message of ['a process does not respond', 'killing a process that does not respond'])
      expect(query.process.log()).to.match(new RegExp(`"pid":${frozen},[^\n]*"msg":"${message}"`));
  });

  it('the service is unready while all processes are frozen, and keeps processes that thaw', async () => {
    const before = children();
    for (const pid of before) process.kill(pid, 'SIGSTOP');
    await eventually('unready', async () => (await readiness()).status === 503, 120_000);
    expect(await query.metric('service_ready')).to.equal(0);
    for (const pid of before) process.kill(pid, 'SIGCONT');
    await eventually('ready', async () => (await readiness()).status === 200, 120_000);
    await serving();
    expect(children()).to.deep.equal(before);
  });

  it('the main process kills no worker after it was itself frozen for a long time', async () => {
    const before = children();
    const first = query.process.child.pid ?? 0;
    process.kill(first, 'SIGSTOP');
    await pass(17_000);
    process.kill(first, 'SIGCONT');
    await pass(3_000);
    await eventually('ready, with nothing to report', async () => {
      const { status, reasons } = await readiness();
      return status === 200 && reasons === '';
    });
    expect(children()).to.deep.equal(before);
  });

  it('all processes end after SIGTERM, once they have completed their requests', async () => {
    const pids = children();
    let isOver = false;
    const load = closedLoop(
      query.origin,
      CLIENTS,
      () => `/api/ai-feed?pageSize=${1 + Math.floor(Math.random() * 100)}`,
      () => isOver,
    );
    await pass(300);
    const stopping = query.process.end('SIGTERM');
    const started = performance.now();
    expect(await stopping).to.equal(0);
    expect(performance.now() - started).to.be.below(STOP_WITHIN_MS);
    isOver = true;
    await load;
    for (const pid of pids) expect(() => process.kill(pid, 0)).to.throw();
  });
});
