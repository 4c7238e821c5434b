import { expect } from 'chai';
import { engines } from '../support/engines.ts';
import { generateItems, TODAY } from '../support/query-items.ts';
import { closedLoop, openLoop, quantile, type Sample, secondsFromNow } from '../support/query-load.ts';
import { memoryOf, type QueryProcess, spawnQuery } from '../support/query-process.ts';

const SECONDS = process.env.VITRINE_FULL ? 600 : 12;
const AT_ONCE = 8;
const MEMORY_MB = 400;
/** Room for what the others on this machine do. */
const NOISE_MS = 150;

describe('query service: a crowd', () => {
  let query: QueryProcess;
  let asked = 0;
  /** A page that nobody has asked for, as dear as pages get. */
  const dear = () => `/api/ai-feed?pageSize=100&lat=-8.05&lng=${(-34 - asked++ / 1e6).toFixed(6)}`;

  before(async () => {
    const { ELASTICSEARCH_URL } = (await engines()).settings;
    query = await spawnQuery(generateItems(2_000), { ELASTICSEARCH_URL, FEED_TODAY: TODAY, SEARCH_CONCURRENCY: String(AT_ONCE) });
  });
  after(() => query?.close());

  it(`of five times the capacity, for ${SECONDS} s: who is served is served well, the rest is refused at once`, async function () {
    this.timeout((SECONDS + 120) * 1_000);
    const pid = query.process.child.pid ?? 0;
    await closedLoop(query.origin, AT_ONCE, dear, secondsFromNow(3));
    const normal = await closedLoop(query.origin, AT_ONCE, dear, secondsFromNow(4));
    const capacity = normal.length / 4;
    const isOver = secondsFromNow(SECONDS);
    const watched = watch(pid, isOver);
    const crowd = await openLoop(query.origin, 5 * capacity, '/api/public-feed', dear, isOver);
    const { memory, health } = await watched;

    const ms = (samples: Sample[]) => samples.map((sample) => sample.ms);
    const served = crowd.filter(({ status }) => status === 200);
    const refused = crowd.filter(({ status }) => status === 503 || status === 429);
    const [before, p99, refusal] = [quantile(ms(normal), 0.99), quantile(ms(served), 0.99), quantile(ms(refused), 0.5)];
    const say = [
      `${capacity.toFixed(0)} pages/s, p99 ${before.toFixed(0)} ms`,
      `the crowd: ${crowd.length} requests, ${served.length} served with p99 ${p99.toFixed(0)} ms`,
      `${refused.length} refused with p50 ${refusal.toFixed(1)} ms, p99 ${quantile(ms(refused), 0.99).toFixed(0)} ms`,
      `memory ${memory[0]?.toFixed(0)} to ${memory.at(-1)?.toFixed(0)} MB, health within ${Math.max(...health).toFixed(0)} ms`,
    ];
    process.stderr.write(`# ${say.join('; ')}\n`);
    expect(served.length + refused.length, 'answered, one way or the other').to.equal(crowd.length);
    expect(refused.length, 'refused').to.be.above(crowd.length / 2);
    expect(served.length / SECONDS, 'served a second').to.be.above(capacity / 10);
    expect(p99).to.be.below(3 * before + NOISE_MS);
    // Milliseconds in the service; what is more is the crowd's own, which shares the machine's processors.
    expect(refusal).to.be.below(300);
    expect(Math.max(...health), 'health').to.be.below(2_000);
    expect(Math.max(...memory), 'memory').to.be.below(MEMORY_MB);
    const third = Math.ceil(memory.length / 3);
    expect(Math.max(...memory.slice(-third)) - Math.max(...memory.slice(third, 2 * third)), 'growth of memory at the end').to.be.below(60);
  });

  /** Memory in MB, and how long health and metrics take, once a second. */
  async function watch(pid: number, isOver: () => boolean): Promise<{ memory: number[]; health: number[] }> {
    const [memory, health]: [number[], number[]] = [[], []];
    while (!isOver()) {
      const start = performance.now();
      expect((await fetch(`${query.admin}/health/live`)).status).to.equal(200);
      expect((await fetch(`${query.admin}/metrics`)).status).to.equal(200);
      health.push(performance.now() - start);
      memory.push(memoryOf(pid));
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    return { memory, health };
  }
});
