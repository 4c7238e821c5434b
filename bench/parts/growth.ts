import { type BenchContext, totalOf, UNCACHED } from '../bench-context.ts';
import { get, type HttpConnection } from '../http-connection.ts';
import { type Ask, bodyOf, type Latency, measure, warmUp } from '../measure.ts';
import { QUERY_KINDS, targetOf } from '../query-kinds.ts';
import { compared } from '../results.ts';

const AT_MOST = 1.5;
const AT_MOST_IF_LINEAR = 3;
/** Size of the large dataset relative to the small one. */
const FACTOR = 10;
const KIND_LIMIT_SECONDS = 180;

interface Subject {
  connection: HttpConnection;
  total: number;
}

/**
 * Measures the latency of every query type, including its total, with ten times as many items (by default,
 * 1,000,000 and 100,000).
 */
export async function growth(context: BenchContext): Promise<void> {
  const count = Math.round(context.items / 3);
  const small = await openSubject(context, count);
  const large = await openSubject(context, count * FACTOR);
  await context.step('warm-up', 90, async () => {
    for (const { connection } of [small, large])
      await warmUp(connection, (kind, number) => targetOf(kind, number, count));
  });
  for (const kind of QUERY_KINDS) {
    const ask =
      ({ connection, total }: Subject): Ask =>
      (number) =>
        bodyOf(connection, get(targetOf(kind, number, total)));
    const result = (await context.step(kind.name, KIND_LIMIT_SECONDS, () =>
      measure({ small: ask(small), large: ask(large) }),
    )) as Record<'small' | 'large', Latency>;
    const peer = { name: `${count} items`, figure: result.small.p50 };
    context.report(
      [
        compared(`${kind.name}, ${count * FACTOR} items`, 'ms', result.large.p50, peer, {
          target: { atMost: kind.linear ? AT_MOST_IF_LINEAR : AT_MOST },
          ...(kind.linear && { note: `linear, because ${kind.linear}` }),
        }),
      ],
      { [kind.name]: result },
    );
  }
}

async function openSubject(context: BenchContext, count: number): Promise<Subject> {
  const service = await context.query(await context.dataset(count), UNCACHED);
  return { connection: context.connect(service.port), total: await totalOf(service.port) };
}
