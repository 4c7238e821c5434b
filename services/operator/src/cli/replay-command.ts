import { Command, InvalidArgumentError, Option } from 'commander';
import {
  cancelReplay,
  joinReplay,
  type ReplayOptions,
  replay,
  resumeReplay,
} from '../machine/run-machine.ts';
import type { Replayed } from '../machine/state.ts';
import type { ReplayProgress, Reports } from '../replay/build.ts';
import type { CliEnvironment } from './environment.ts';
import { positive } from './integers.ts';
import { WorkerProcesses } from './process/worker-processes.ts';
import type { Action, Outcome, ReportProgress } from './run-command.ts';

const RATE = [
  '--rate <n>',
  'maximum number of records or states per second (default: full speed if no client reads the feed, ' +
    'otherwise reduced speed)',
  positive,
] as const;

/**
 * The limit is above the number of cores that a machine usually has free. It exists so that a typing error
 * cannot fill the memory.
 */
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

/** `replay` with its subcommands: starts, joins, resumes and cancels a rebuild. */
export function replayCommand(action: Action, environment: CliEnvironment): Command {
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
    .option(
      '--without-rules-module',
      'build a generation without the rules module with which the live generation was built',
      false,
    )
    .action(
      action(async (context, onProgress, options: ReplayOptions & BuildOptions) =>
        withWorkers(options.workers, onProgress, (reports) => replay(context, options, reports)),
      ),
    );
  /** Commander accepts the options of `replay` before each subcommand. */
  const refuseOthers =
    (...known: string[]) =>
    (_: Command, { parent }: Command) => {
      const other = parent?.options.find(
        (option) =>
          parent.getOptionValueSource(option.attributeName()) === 'cli' &&
          !known.includes(option.attributeName()),
      );
      if (other) parent?.error(`error: this subcommand has no option '${other.long}'`);
    };
  command
    .command('resume')
    .hook('preAction', refuseOthers('rate', 'workers'))
    .description('continue an interrupted replay')
    .argument('[generation]', 'default: the unfinished generation, even that of a newer replay', positive)
    .option(...RATE)
    .option(...WORKERS)
    .action(
      action(
        async (
          context,
          onProgress,
          generation: number | undefined,
          own: BuildOptions,
          { parent }: Command,
        ) => {
          // If both commands have an option, Commander assigns it to the first command.
          const above = parent?.opts<BuildOptions>();
          const workers = Math.max(own.workers, above?.workers ?? 1);
          return withWorkers(workers, onProgress, (reports) =>
            resumeReplay(context, generation, own.rate ?? above?.rate, reports),
          );
        },
      ),
    );
  command
    .command('join')
    .hook('preAction', refuseOthers())
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
    .hook('preAction', refuseOthers())
    .description('stop the running replay and remove the unfinished generation')
    .argument('[generation]', 'default: the unfinished generation, even that of a newer replay', positive)
    .action(
      action(async (context, _, generation?: number) => {
        const number = await cancelReplay(context, generation);
        return { json: { cancelled: number }, text: `Removed generation ${number}.` };
      }),
    );
  return command;
}
