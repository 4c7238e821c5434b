import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { ReplayProgress } from '../replay/build.ts';
import { prunable, removeGeneration } from '../replay/prune.ts';
import {
  cancelReplay,
  joinReplay,
  type Replayed,
  type ReplayOptions,
  type Reports,
  replay,
  resumeReplay,
} from '../replay/replay.ts';
import { rollback, switchTo } from '../replay/switch.ts';
import { renderComparison, renderSelfCheck } from '../text/render-verification.ts';
import { type Comparison, compareGenerations } from '../verify/compare-generations.ts';
import { selfCheck } from '../verify/self-check.ts';
import type { Action } from './command-action.ts';
import type { CliEnvironment } from './environment.ts';
import { natural, positive } from './integers.ts';
import type { Outcome, ReportProgress } from './run-command.ts';
import { WorkerProcesses } from './worker-processes.ts';

/** The commands that build, compare, switch and remove generations. */
export function generationCommands(action: Action, environment: CliEnvironment): Command[] {
  return [
    replayCommand(action, environment),
    verifyCommand(action, environment.env),
    switchCommand(action),
    rollbackCommand(action),
    pruneCommand(action),
  ];
}

const RATE = [
  '--rate <n>',
  'maximum number of records or states per second (default: full speed if no client reads the feed, ' +
    'otherwise reduced speed)',
  positive,
] as const;

/** Larger than the number of cores that a machine usually has free. A typing error must not fill the memory. */
const MAX_WORKERS = 64;

function workerCount(text: string): number {
  const count = positive(text);
  if (count > MAX_WORKERS) throw new InvalidArgumentError(`The value must be at most ${MAX_WORKERS}.`);
  return count;
}

const WORKERS = [
  '--workers <n>',
  `number of processes on this machine that build together, at most ${MAX_WORKERS}; replay join adds others ` +
    'from any machine',
  workerCount,
  1,
] as const;

interface BuildOptions {
  rate?: number;
  workers: number;
}

function replayCommand(action: Action, environment: CliEnvironment): Command {
  const built = (replayed: Replayed): Outcome => {
    const { generation, hasProjector } = replayed;
    if (hasProjector === undefined)
      return {
        json: replayed,
        text: `Generation ${generation} is already ready. Next: verify ${generation}`,
      };
    const feeding = hasProjector
      ? 'and a projector keeps the generation up to date'
      : 'but no projector of this version is running. Start a projector to keep the generation up to date';
    return {
      json: replayed,
      text: `Generation ${generation} is ready, ${feeding}. Next: verify ${generation}`,
    };
  };
  const showing =
    (onProgress: ReportProgress) =>
    ({ phase, done, total }: ReplayProgress) =>
      onProgress(phase, done, total);
  /** Runs a builder in this process, and the other workers in child processes. */
  const withWorkers = async (
    workers: number,
    onProgress: ReportProgress,
    build: (reports: Reports) => Promise<Replayed>,
  ): Promise<Outcome> => {
    const children = new WorkerProcesses(environment);
    try {
      const replayed = await build({
        onBegun: (generation) => children.join(generation, workers - 1),
        onProgress: showing(onProgress),
      });
      await children.ended();
      return built(replayed);
    } finally {
      await children.stop();
    }
  };
  const command = new Command('replay')
    .description('build a new generation beside the live generation')
    .addOption(
      new Option('--from <source>', 'topic: replay all events; states: derive items from the live states')
        .choices(['topic', 'states'])
        .default('topic'),
    )
    .option(...RATE)
    .option(...WORKERS)
    .option(
      '--incomplete-log',
      'accept a topic that has lost its oldest events; the new generation lacks these events',
      false,
    )
    .action(
      action(async (context, onProgress, options: ReplayOptions & BuildOptions) =>
        withWorkers(options.workers, onProgress, (reports) => replay(context, options, reports)),
      ),
    );
  command
    .command('resume')
    .description('continue an interrupted replay')
    .option(...RATE)
    .option(...WORKERS)
    .action(
      action(async (context, onProgress, own: BuildOptions, { parent }: Command) => {
        // Commander gives options that both commands have to the first one.
        const above = parent?.opts<BuildOptions>();
        const workers = Math.max(own.workers, above?.workers ?? 1);
        return withWorkers(workers, onProgress, (reports) =>
          resumeReplay(context, own.rate ?? above?.rate, reports),
        );
      }),
    );
  command
    .command('join')
    .description('add this process to the builders of a generation that a replay is building')
    .argument('<generation>', 'the number that status shows', positive)
    .action(
      action(async (context, onProgress, generation: number) =>
        built(
          await joinReplay(context, generation, {
            onBegun: () => undefined,
            onProgress: showing(onProgress),
          }),
        ),
      ),
    );
  command
    .command('cancel')
    .description('stop the running replay and remove the unfinished generation')
    .action(
      action(async (context) => {
        const number = await cancelReplay(context);
        return { json: { cancelled: number }, text: `Removed generation ${number}.` };
      }),
    );
  return command;
}

function verifyCommand(action: Action, env: NodeJS.ProcessEnv): Command {
  interface VerifyOptions {
    self?: boolean;
    dryRun?: boolean;
    report?: string;
  }
  return new Command('verify')
    .description('compare a generation with the live generation, item by item (required before switch)')
    .argument(
      '[generation]',
      'default: the newest ready generation that is not live; with --self: the live generation',
      positive,
    )
    .option('--self', 'compare the items of a generation with its own states, and repair wrong items')
    .option('--dry-run', 'with --self: report differences but do not repair items')
    .option('--report <file>', 'write the complete result to this file as JSON')
    .action(
      action(
        async (
          context,
          onProgress,
          number: number | undefined,
          { self = false, dryRun = false, report }: VerifyOptions,
        ) => {
          const reporting = ({ done, total }: { done: number; total: number }) =>
            onProgress('comparing', done, total);
          const write = async (outcome: unknown) => {
            // npm changes the working directory to the project's folder, but the path is relative to the
            // operator's directory.
            if (report !== undefined)
              await writeFile(resolve(env.INIT_CWD ?? '.', report), `${JSON.stringify(outcome, null, 2)}\n`);
          };
          if (self) {
            const check = await selfCheck(context, { generation: number, repair: !dryRun }, reporting);
            await write(check);
            return {
              json: check,
              text: renderSelfCheck(check),
              refused: check.disagreements.some(({ repaired }) => !repaired),
            };
          }
          const comparison = await compareGenerations(context, number, reporting);
          await write(comparison);
          return { json: comparison, text: renderComparison(comparison), refused: differs(comparison) };
        },
      ),
    );
}

const differs = ({ verification }: Comparison): boolean =>
  verification.explained + verification.unexplained > 0;

function switchCommand(action: Action): Command {
  interface SwitchFlags {
    allowDiff: number;
    allowExplained: boolean;
    maxAge: number;
  }
  return new Command('switch')
    .description('make a verified generation live')
    .argument('[generation]', 'default: the newest ready generation that is not live', positive)
    .option('--allow-diff <n>', 'maximum number of differing items', natural, 0)
    .option('--allow-explained', "ignore differences that this version's rules explain", false)
    .option('--max-age <minutes>', 'maximum age of the verification result', positive, 60)
    .action(
      action(
        async (
          context,
          _tell,
          number: number | undefined,
          { allowDiff, allowExplained, maxAge }: SwitchFlags,
        ) => {
          const moved = await switchTo(context, number, {
            allowedDifferences: allowDiff,
            allowExplained,
            maxVerificationAge: maxAge * 60_000,
          });
          const previous =
            moved.from === undefined
              ? ''
              : ` Generation ${moved.from} stays up to date for a rollback until it is pruned.`;
          return { json: moved, text: `Generation ${moved.to} is live.${previous}` };
        },
      ),
    );
}

const rollbackCommand = (action: Action): Command =>
  new Command('rollback').description('make the previous generation live again').action(
    action(async (context) => {
      const moved = await rollback(context);
      return {
        json: moved,
        text:
          `Generation ${moved.to} is live ` +
          `again${moved.from === undefined ? '' : ` and replaces generation ${moved.from}`}.`,
      };
    }),
  );

const pruneCommand = (action: Action): Command =>
  new Command('prune')
    .description('remove a generation that is not live, with its indices and its consumer group')
    .argument(
      '[generation]',
      'default: all generations that are neither live nor under construction',
      positive,
    )
    .action(
      action(async (context, onProgress, number: number | undefined) => {
        const numbers = number === undefined ? await prunable(context) : [number];
        for (const [done, one] of numbers.entries()) {
          onProgress('pruning', done, numbers.length);
          await removeGeneration(context, one);
        }
        return {
          json: { pruned: numbers },
          text:
            numbers.length > 0
              ? `Removed generation ${numbers.join(', ')}.`
              : 'There is no generation to remove.',
        };
      }),
    );
