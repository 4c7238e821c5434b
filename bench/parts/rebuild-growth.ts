import { generationNames } from '@vitrine/feed-index';
import type { BenchContext } from '../bench-context.ts';
import { copiedStates } from '../copied-states.ts';
import { rebuild } from '../rebuild.ts';
import { compared } from '../results.ts';
import { rounded } from '../statistics.ts';

/**
 * The rebuilds have these shares of the items, so that each one is ten times as large as the previous one.
 */
const SHARES = [1 / 100, 1 / 10, 1];
const AT_LEAST = 0.8;

/** Measures `replay --from states` as the number of listings grows tenfold and hundredfold. */
export async function rebuildGrowth(context: BenchContext): Promise<void> {
  const { env, grow } = await copiedStates(context);
  let before: { count: number; rate: number } | undefined;
  for (const share of SHARES) {
    const count = Math.round(context.items * share);
    if (count <= (before?.count ?? 0)) continue;
    await grow(count);
    const { generation, listingsPerSecond } = await context.step(
      `rebuild of ${count} listings`,
      240 + count / 1_000,
      () => rebuild(context, { env, documents: { length: count } }, ['--from', 'states']),
    );
    const { items } = generationNames(env.INDEX_PREFIX, generation);
    await context.elasticsearch.indices.refresh({ index: items });
    const found = await context.elasticsearch.count({ index: items });
    if (found.count !== count) throw new Error(`the rebuild of ${count} listings has ${found.count} items`);
    await context.command(env, ['prune', String(generation)]);
    const rate = rounded(listingsPerSecond);
    const measure = `replay --from states, ${count} listings`;
    context.report(
      [
        before === undefined
          ? { measure, unit: 'listings/s', ours: rate }
          : compared(
              measure,
              'listings/s',
              rate,
              { name: `${before.count} listings`, figure: before.rate },
              { target: { atLeast: AT_LEAST } },
            ),
      ],
      {},
    );
    before = { count, rate };
  }
}
