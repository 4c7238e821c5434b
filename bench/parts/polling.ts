import type { BenchContext } from '../bench-context.ts';
import { get } from '../http-connection.ts';
import { quantile, rounded } from '../statistics.ts';
import { pause } from '../time-limit.ts';

const CLIENTS = 40;
const POLLS = 5;
/**
 * A page stays fresh for a shorter time (5 s), but the service may serve it stale for a longer time (15 s).
 */
const EVERY_MS = 8_000;
const AT_MOST_PERCENT = 1;

/**
 * Measures the share of stale responses, judged by Age and max-age, to clients that each poll their own page
 * every 8 s.
 */
export async function polling(context: BenchContext): Promise<void> {
  const prefix = await context.dataset(context.items);
  const service = await context.query(prefix);
  const times: number[] = [];
  let stale = 0;
  const client = async (number: number) => {
    const connection = context.connect(service.port);
    const request = get(`/api/public-feed?city=city-${number}&pageSize=20`);
    await pause((number * EVERY_MS) / CLIENTS, context.signal);
    for (let poll = 0; poll <= POLLS; poll++) {
      const start = performance.now();
      const { status, headers } = await connection.send(request);
      if (status !== 200) throw new Error(`status ${status}`);
      // The first response does not count, because it is always fresh.
      if (poll > 0) {
        times.push(performance.now() - start);
        const maxAge = /max-age=(\d+)/.exec(String(headers['cache-control']))?.[1];
        if (Number(headers.age ?? 0) >= Number(maxAge ?? 0)) stale++;
      }
      if (poll < POLLS) await pause(EVERY_MS, context.signal);
    }
  };
  await context.step(`${CLIENTS} polling clients`, 120, () =>
    Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number))),
  );
  const percent = rounded((100 * stale) / times.length);
  const [p50, p99] = [0.5, 0.99].map((share) => rounded(quantile(times, share)));
  context.report(
    [
      {
        measure: 'stale responses to clients that poll every 8 s',
        unit: '%',
        ours: percent,
        target: { atMost: AT_MOST_PERCENT },
        note: `p50 ${p50} ms, p99 ${p99} ms`,
      },
    ],
    { clients: CLIENTS, polls: times.length, stale, p50, p99 },
  );
}
