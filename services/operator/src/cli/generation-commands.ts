import { operatorPath } from '@vitrine/runtime/operator-path';
import { Command } from 'commander';
import {
  deleteExpiredChanges,
  prunable,
  removeGeneration,
  rollback,
  switchTo,
} from '../machine/run-machine.ts';
import { completeFile } from '../reconcile/files/complete-file.ts';
import { renderComparison, renderSelfCheck } from '../text/render-verification.ts';
import { type Comparison, compareGenerations } from '../verify/compare-generations.ts';
import { recordedSelfCheck } from '../verify/recorded-self-check.ts';
import type { CliEnvironment } from './environment.ts';
import { natural, positive } from './integers.ts';
import { replayCommand } from './replay-command.ts';
import type { Action } from './run-command.ts';

/** The commands that build, compare, switch and remove generations. */
export function generationCommands(action: Action, environment: CliEnvironment): Command[] {
  return [
    replayCommand(action, environment),
    verifyCommand(action, environment),
    switchCommand(action),
    rollbackCommand(action),
    pruneCommand(action),
  ];
}

function verifyCommand(action: Action, environment: CliEnvironment): Command {
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
          // The file is created before the work, because a long comparison must not fail at its end.
          const reported = <T>(work: () => Promise<T>): Promise<T> =>
            report === undefined
              ? work()
              : completeFile(operatorPath(environment.env, report), async (file) => {
                  const outcome = await work();
                  file.addText(JSON.stringify(outcome, null, 2));
                  return outcome;
                });
          if (self) {
            const check = await reported(() =>
              recordedSelfCheck(context, { generation: number, repair: !dryRun }, reporting),
            );
            return {
              json: check,
              text: renderSelfCheck(check),
              refused: check.disagreements.some(({ repaired }) => !repaired),
            };
          }
          const comparison = await reported(() => compareGenerations(context, number, reporting));
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
  new Command('rollback')
    .description('make the previous generation live again')
    .argument(
      '[generation]',
      'fail if the previous generation is another one; complete the rollback if this one is live already',
      positive,
    )
    .action(
      action(async (context, _onProgress, number: number | undefined) => {
        const moved = await rollback(context, number);
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
        await deleteExpiredChanges(context);
        return {
          json: { pruned: numbers },
          text:
            numbers.length > 0
              ? `Removed generation ${numbers.join(', ')}.`
              : 'There is no generation to remove.',
        };
      }),
    );
