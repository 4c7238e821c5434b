import { availableParallelism } from 'node:os';
import type { BenchContext } from '../bench-context.ts';
import { copiedStates } from '../copied-states.ts';
import { endedChildrenCpuSeconds } from '../process-figures.ts';
import { rebuild } from '../rebuild.ts';
import { compared, type Row } from '../results.ts';
import { alternate, medianOf, medianRatio } from '../statistics.ts';

const ROUNDS = 3;
const BUILDERS = 3;
const AT_MOST = 1.15;

interface Figures {
  cpuSeconds: number;
  seconds: number;
}

/**
 * Compares a rebuild by three builders on this machine with a rebuild by one, in turn. It compares the CPU
 * time of all builder processes, including their start, and the time until the generation is ready.
 */
export async function builders(context: BenchContext): Promise<void> {
  const listings = context.items;
  const { env, grow, stop } = await copiedStates(context);
  await grow(listings);
  // This is the CPU time of the child processes that end during the rebuild.
  const rebuiltBy = (count: number) => async (): Promise<Figures> => {
    const before = await endedChildrenCpuSeconds();
    const { generation, listingsPerSecond } = await rebuild(
      context,
      { env, documents: { length: listings } },
      ['--from', 'states', ...(count > 1 ? ['--workers', String(count)] : [])],
    );
    const cpuSeconds = (await endedChildrenCpuSeconds()) - before;
    await context.command(env, ['prune', String(generation)]);
    return { cpuSeconds, seconds: listings / listingsPerSecond };
  };
  const measure = `replay --from states, ${BUILDERS} builders / one`;
  const figures = await context.step(measure, 240 + listings / 300, () =>
    alternate(ROUNDS, { one: rebuiltBy(1), several: rebuiltBy(BUILDERS) }),
  );
  await stop();
  const row = (what: string, unit: Row['unit'], figure: keyof Figures, more: Partial<Row>) =>
    compared(
      `${measure}, ${what}`,
      unit,
      medianOf(figures.several, figure),
      { name: 'one builder', figure: medianOf(figures.one, figure) },
      { ratio: medianRatio(figures.several, figures.one, figure), ...more },
    );
  context.report(
    [
      row('total CPU time', 'CPU s', 'cpuSeconds', { target: { atMost: AT_MOST } }),
      row('time', 's', 'seconds', {
        note:
          `Elasticsearch and the builders share ${availableParallelism()} hardware threads. ` +
          'Without spare cores, this row does not show how much faster several builders are.',
      }),
    ],
    { [measure]: figures },
  );
}
