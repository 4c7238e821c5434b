import { loadFromProcess } from '@vitrine/test/http-load';
import { type BenchContext, UNCACHED } from '../bench-context.ts';
import { compared } from '../results.ts';
import { alternate, medianOf, quantile } from '../statistics.ts';

const STAYING = 6;
const LEAVING = 50;
const SECONDS = 5;
const ROUNDS = 5;
/** The number of concurrent searches that two cores can work on while the clients use the same cores. */
const SEARCH_CONCURRENCY = '4';
const AT_MOST = 2;

/**
 * Measures the pages for clients that read their responses, alone and alongside clients that disconnect 5 ms
 * after each request.
 */
export async function disconnects(context: BenchContext): Promise<void> {
  const service = await context.query(await context.dataset(context.items), {
    ...UNCACHED,
    SEARCH_CONCURRENCY,
  });
  let seed = 1;
  const clients = (kind: 'stay' | 'leave', count: number, seconds: number) =>
    loadFromProcess(
      {
        kind,
        origin: `http://127.0.0.1:${service.port}`,
        clients: count,
        seconds,
        seed: seed++,
        items: context.items,
      },
      context.signal,
    );
  const staying = async () => {
    const { samples } = await clients('stay', STAYING, SECONDS);
    const served = samples.filter(({ status }) => status === 200).map(({ ms }) => ms);
    return { served: served.length, refused: samples.length - served.length, p99: quantile(served, 0.99) };
  };
  const beside = async () => {
    const [left, stayed] = await Promise.all([clients('leave', LEAVING, SECONDS + 1), staying()]);
    return { ...stayed, abandoned: left.asked };
  };
  const figures = await context.step('clients that disconnect', 180, async () => {
    await staying();
    return alternate(ROUNDS, { alone: staying, beside });
  });
  const peer = { name: 'p99 without them', figure: medianOf(figures.alone, 'p99') };
  const measure = `p99 of ${STAYING} clients, beside ${LEAVING} clients that disconnect`;
  context.report(
    [compared(measure, 'ms', medianOf(figures.beside, 'p99'), peer, { target: { atMost: AT_MOST } })],
    figures,
  );
}
