import { availableParallelism } from 'node:os';
import type { BenchContext } from './bench-context.ts';
import { endedChildrenCpuSeconds } from './process-figures.ts';
import { type LiveListings, rebuild } from './rebuild.ts';
import { median, rounded } from './statistics.ts';

const BUILDERS = 3;
const ROUNDS = 3;
const AT_MOST = 1.15;
const ARGS = ['--from', 'states'] as const;

interface Figures {
  cpuSeconds: number;
  seconds: number;
}

/**
 * Compares a rebuild by three builders on this machine with a rebuild by one, in turn: the CPU time of all
 * builder processes, with their start, and the time until the generation is ready.
 */
export async function severalBuilders(context: BenchContext, live: LiveListings): Promise<void> {
  const measure = `replay --from states, ${BUILDERS} builders / one`;
  const rounds: { one: Figures; several: Figures }[] = [];
  await context.step(measure, 240 + live.documents.length / 100, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const one = await figuresOf(context, live, [...ARGS]);
      const several = await figuresOf(context, live, [...ARGS, '--workers', String(BUILDERS)]);
      rounds.push({ one, several });
      context.tell(`${measure}: ${JSON.stringify(rounds.at(-1))}`);
    }
  });
  const row = (figure: keyof Figures) => ({
    ours: rounded(median(rounds.map(({ several }) => several[figure]))),
    peer: { name: 'one builder', figure: rounded(median(rounds.map(({ one }) => one[figure]))) },
    ratio: rounded(median(rounds.map(({ one, several }) => several[figure] / one[figure]))),
  });
  context.report(
    [
      {
        measure: `${measure}, total CPU time`,
        unit: 'CPU s',
        ...row('cpuSeconds'),
        target: { atMost: AT_MOST },
      },
      {
        measure: `${measure}, time`,
        unit: 's',
        ...row('seconds'),
        note:
          `Elasticsearch and the builders share ${availableParallelism()} hardware threads. ` +
          'Without spare cores, this row does not show how much faster several builders are.',
      },
    ],
    { [measure]: rounds },
  );
}

/** Rebuilds and removes the new generation. The CPU time includes the processes that have ended meanwhile. */
async function figuresOf(context: BenchContext, live: LiveListings, args: string[]): Promise<Figures> {
  const before = await endedChildrenCpuSeconds();
  const { generation, listingsPerSecond } = await rebuild(context, live, args);
  const cpuSeconds = (await endedChildrenCpuSeconds()) - before;
  await context.command(live.env, ['prune', String(generation)]);
  return { cpuSeconds, seconds: live.documents.length / listingsPerSecond };
}
