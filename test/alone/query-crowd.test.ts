import { generateItems, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { engines } from '../support/engines.ts';
import { closedLoop, openLoop, quantile, type Sample, secondsFromNow } from '../support/http-load.ts';
import { type QueryProcess, startQueryProcess } from '../support/query-service.ts';
import { memoryOf } from '../support/service-process.ts';

const SECONDS = process.env.VITRINE_FULL ? 600 : 12;
const AT_ONCE = 8;
const MEMORY_MB = 400;
/**
 * Maximum ratio of page latency under overload to page latency at capacity. The queue is as long as the
 * concurrency limit, so a page waits about as long as its own search takes. The clients use the same
 * processors, which doubles the time again. If the queue held requests for up to one second, the ratio would
 * be about 20.
 */
const TIMES_SLOWER = 6;

describe('query service: overload', () => {
  let query: QueryProcess;
  let asked = 0;
  /** An expensive page that no client has requested before. */
  const dear = () => `/api/ai-feed?pageSize=100&lat=-8.05&lng=${(-34 - asked++ / 1e6).toFixed(6)}`;

  before(async () => {
    const { ELASTICSEARCH_URL } = (await engines()).settings;
    query = await startQueryProcess(generateItems(2_000), {
      ELASTICSEARCH_URL,
      FEED_TODAY: TODAY,
      SEARCH_CONCURRENCY: String(AT_ONCE),
    });
  });
  after(() => query?.close());

  it(`five times the capacity for ${SECONDS} s slows pages down at most ${TIMES_SLOWER}-fold, and other requests are refused`, async function () {
    this.timeout((SECONDS + 120) * 1_000);
    const pid = query.process.child.pid ?? 0;
    await closedLoop(query.origin, AT_ONCE, dear, secondsFromNow(3));
    const atCapacity = () => closedLoop(query.origin, AT_ONCE, dear, secondsFromNow(4));
    const first = await atCapacity();
    const capacity = first.length / 4;
    const isOver = secondsFromNow(SECONDS);
    const watched = watch(pid, isOver);
    const crowd = await openLoop(query.origin, 5 * capacity, '/api/public-feed', dear, isOver);
    const { memory, health } = await watched;
    const normal = [...first, ...(await atCapacity())];

    const ms = (samples: Sample[]) => samples.map((sample) => sample.ms);
    const served = crowd.filter(({ status }) => status === 200);
    const refused = crowd.filter(({ status }) => status === 503 || status === 429);
    const slower = [0.5, 0.9].map((share) => quantile(ms(served), share) / quantile(ms(normal), share));
    const refusal = quantile(ms(refused), 0.5);
    const say = [
      `${capacity.toFixed(0)} pages/s, p50 ${quantile(ms(normal), 0.5).toFixed(0)} ms`,
      `overload: ${crowd.length} requests, ${served.length} served; p50 and p90 are ` +
        `${slower.map((times) => times.toFixed(1))} times those at capacity`,
      `${refused.length} refused with p50 ${refusal.toFixed(1)} ms, p99 ` +
        `${quantile(ms(refused), 0.99).toFixed(0)} ms`,
      `memory ${memory[0]?.toFixed(0)} to ${memory.at(-1)?.toFixed(0)} MB, health within ` +
        `${Math.max(...health).toFixed(0)} ms`,
    ];
    process.stderr.write(`# ${say.join('; ')}\n`);
    expect(served.length + refused.length, 'served and refused requests').to.equal(crowd.length);
    expect(refused.length, 'refused requests').to.be.above(crowd.length / 2);
    expect(served.length / SECONDS, 'pages served per second').to.be.above(capacity / 10);
    for (const times of slower)
      expect(times, 'time of a page relative to its time at capacity').to.be.below(TIMES_SLOWER);
    // This bound includes the clients' time, because they share the machine's processors.
    expect(refusal).to.be.below(300);
    // If the machine pauses, one of these requests is late.
    expect(quantile(health, 0.9), 'milliseconds of a health and a metrics request, p90').to.be.below(2_000);
    expect(Math.max(...memory), 'peak memory in MB').to.be.below(MEMORY_MB);
    const third = Math.ceil(memory.length / 3);
    expect(
      Math.max(...memory.slice(-third)) - Math.max(...memory.slice(third, 2 * third)),
      'memory growth in the last third, in MB',
    ).to.be.below(60);
  });

  /**
   * Takes samples about twice per second: the memory in MB, and the milliseconds of a health request and of a
   * metrics request.
   */
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
