import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import type { ReplayProgress } from '../replay/build-phases.ts';
import { prunable, removeGeneration } from '../replay/prune.ts';
import { cancelReplay, type Replayed, type ReplayOptions, replay, resumeReplay } from '../replay/replay.ts';
import { rollback, switchTo } from '../replay/switch.ts';
import { type Comparison, compareGenerations } from '../verify/compare-generations.ts';
import { selfCheck } from '../verify/self-check.ts';
import type { Action } from './command-action.ts';
import { natural, positive } from './integers.ts';
import type { Outcome, Tell } from './run-command.ts';
import { renderComparison, renderSelfCheck } from './verify-text.ts';

/** The commands that build, compare, switch and remove generations. */
export function generationCommands(action: Action, env: NodeJS.ProcessEnv): Command[] {
  return [replayCommand(action), verifyCommand(action, env), switchCommand(action), rollbackCommand(action), pruneCommand(action)];
}

const RATE = [
  '--rate <n>',
  'records (or states) a second at most; without it, all that the machine gives while nobody searches the live feed, and gently while somebody does',
  positive,
] as const;

function replayCommand(action: Action): Command {
  const built = (replayed: Replayed): Outcome => {
    const { generation, fed } = replayed;
    const feeding = fed ? 'and is fed from now on' : 'but no projector of this version feeds it: it falls behind until you start one';
    return { json: replayed, text: `Generation ${generation} is ready, ${feeding}. Next: verify ${generation}` };
  };
  const telling =
    (tell: Tell) =>
    ({ phase, done, total }: ReplayProgress) =>
      tell(phase, done, total);
  const command = new Command('replay')
    .description('build a new generation beside the live one')
    .addOption(
      new Option('--from <source>', 'topic: every event again; states: items anew from the states').choices(['topic', 'states']).default('topic'),
    )
    .option(...RATE)
    .option('--incomplete-log', 'replay a topic whose beginning was deleted: what it no longer holds will be missing', false)
    .action(action(async (operation, tell, options: ReplayOptions) => built(await replay(operation, options, telling(tell)))));
  command
    .command('resume')
    .description('go on with an interrupted replay')
    .option(...RATE)
    .action(
      action(async (operation, tell, own: { rate?: number }, { parent }: Command) =>
        built(await resumeReplay(operation, own.rate ?? parent?.opts<{ rate?: number }>().rate, telling(tell))),
      ),
    );
  command
    .command('cancel')
    .description('remove the unfinished generation, and stop whoever builds it')
    .action(
      action(async (operation) => {
        const number = await cancelReplay(operation);
        return { json: { cancelled: number }, text: `Generation ${number} is gone.` };
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
    .description('compare a generation with the live one, item by item; the certificate that switch asks for')
    .argument('[generation]', 'the newest that is not live, unless told (with --self: the live one)', positive)
    .option('--self', 'compare the items of one generation with its own states, and repair them')
    .option('--dry-run', 'with --self: repair nothing')
    .option('--report <file>', 'write the whole outcome to this file, as JSON')
    .action(
      action(async (operation, tell, number: number | undefined, { self = false, dryRun = false, report }: VerifyOptions) => {
        const telling = ({ done, total }: { done: number; total: number }) => tell('comparing', done, total);
        const write = async (outcome: unknown) => {
          // npm changes to the project's folder. The path is relative to the operator's working directory.
          if (report !== undefined) await writeFile(resolve(env.INIT_CWD ?? '.', report), `${JSON.stringify(outcome, null, 2)}\n`);
        };
        if (self) {
          const check = await selfCheck(operation, { generation: number, repair: !dryRun }, telling);
          await write(check);
          return { json: check, text: renderSelfCheck(check), refused: check.disagreements.some(({ repaired }) => !repaired) };
        }
        const comparison = await compareGenerations(operation, number, telling);
        await write(comparison);
        return { json: comparison, text: renderComparison(comparison), refused: differs(comparison) };
      }),
    );
}

const differs = ({ certificate }: Comparison): boolean => certificate.explained + certificate.unexplained > 0;

function switchCommand(action: Action): Command {
  interface SwitchFlags {
    allowDiff: number;
    allowExplained: boolean;
    maxAge: number;
  }
  return new Command('switch')
    .description('make a verified generation the live one')
    .argument('[generation]', 'the newest that is not live, unless told', positive)
    .option('--allow-diff <n>', 'differing items that are allowed', natural, 0)
    .option('--allow-explained', 'differences that the rules of this code explain do not count', false)
    .option('--max-age <minutes>', 'how old the certificate may be', positive, 60)
    .action(
      action(async (operation, _tell, number: number | undefined, { allowDiff, allowExplained, maxAge }: SwitchFlags) => {
        const moved = await switchTo(operation, number, { allowedDifferences: allowDiff, allowExplained, certificateAge: maxAge * 60_000 });
        return {
          json: moved,
          text: `Generation ${moved.to} is live.${moved.from === undefined ? '' : ` Generation ${moved.from} is kept and fed for a rollback, until prune.`}`,
        };
      }),
    );
}

const rollbackCommand = (action: Action): Command =>
  new Command('rollback').description('make the former generation live again').action(
    action(async (operation) => {
      const moved = await rollback(operation);
      return { json: moved, text: `Generation ${moved.to} is live again${moved.from === undefined ? '' : `, instead of ${moved.from}`}.` };
    }),
  );

const pruneCommand = (action: Action): Command =>
  new Command('prune')
    .description('remove a generation that is not live: its indices, its consumer group, its record')
    .argument('[generation]', 'all that are neither live nor being built, unless told', positive)
    .action(
      action(async (operation, tell, number: number | undefined) => {
        const numbers = number === undefined ? await prunable(operation) : [number];
        for (const [done, one] of numbers.entries()) {
          tell('pruning', done, numbers.length);
          await removeGeneration(operation, one);
        }
        return { json: { pruned: numbers }, text: numbers.length > 0 ? `Gone: generation ${numbers.join(', ')}.` : 'There is nothing to prune.' };
      }),
    );
