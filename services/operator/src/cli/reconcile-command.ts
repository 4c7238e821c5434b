import { parseInstant } from '@vitrine/listing-events';
import { operatorPath } from '@vitrine/runtime/operator-path';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { CommandContext } from '../command-context.ts';
import type { CorrectionCounts } from '../reconcile/corrections/corrections.ts';
import { type MaxRemovals, parseMaxRemovals } from '../reconcile/corrections/max-removals.ts';
import { ReconcileRefusedError } from '../reconcile/corrections/reconcile-refused-error.ts';
import { type Reconciled, reconcile } from '../reconcile/reconcile.ts';
import { lastCorrections, lastReconciliation } from '../reconcile/recorded-rows.ts';
import { counted } from '../text/plain-text.ts';
import {
  countedCorrections,
  impossibleText,
  renderLastReconciliation,
  renderReconciliation,
} from '../text/render-reconciliation.ts';
import { confirmed } from './confirmation.ts';
import type { CliEnvironment } from './environment.ts';
import { natural } from './integers.ts';
import type { Action } from './run-command.ts';

interface ReconcileFlags {
  source: string;
  asOf?: number;
  settle: number;
  report?: string;
  emit?: string;
  publish: boolean;
  yes: boolean;
  maxRemovals: MaxRemovals;
}

const STANDARD_INPUT = '-';

/** `reconcile`: compares the feed with a dump of the source, and corrects it. */
export function reconcileCommand(action: Action, environment: CliEnvironment): Command {
  return new Command('reconcile')
    .description("compare the live feed with a dump of the source's database, and correct it if asked to")
    .requiredOption(
      '--source <file>',
      'JSON lines, or CSV with a header line, in ascending byte order of id; - for standard input',
    )
    .option(
      '--as-of <time>',
      'the moment at which the dump began (RFC 3339; default: now). A listing that received a later event is no ' +
        'difference',
      pastInstant,
    )
    .option('--settle <seconds>', 'time to wait before the differences are compared again', settleSeconds, 10)
    .option('--report <file>', 'write one JSON line per difference to this file')
    .option('--emit <file>', 'write the correcting events to this file, one per line')
    .option('--publish', 'publish the correcting events', false)
    .option('--yes', 'publish without asking', false)
    .addOption(
      new Option(
        '--max-removals <n>',
        'refuse to correct if more live items would be removed: a number, or a share such as 0.5%',
      )
        .argParser(removals)
        .default({ percent: 1 }, '1%'),
    )
    .action(
      action(async (context, onProgress, flags: ReconcileFlags) => {
        const { report, emit, publish, yes } = flags;
        const outcome = await reconcile(
          context,
          {
            source: sourceOf(flags.source, environment),
            asOf: flags.asOf,
            settle: flags.settle,
            maxRemovals: flags.maxRemovals,
            ...(report !== undefined && { report: operatorPath(environment.env, report) }),
            ...(emit !== undefined && { emit: operatorPath(environment.env, emit) }),
            ...(publish && {
              confirmPublish: (corrections: CorrectionCounts) =>
                confirmed(environment, yes, question(corrections, context.settings.LISTING_EVENTS_TOPIC)),
            }),
          },
          onProgress,
        );
        for (const line of impossibleText(outcome.corrections)) environment.stderr.write(`${line}\n`);
        return { json: outcome.counts, text: renderReconciliation(outcome), refused: differs(outcome) };
      }),
    );
}

/** `reconciliation`: the rows and the corrections of the last `reconcile`, from Elasticsearch. */
export function reconciliationCommand(action: Action): Command {
  return new Command('reconciliation')
    .description('show the last comparison of the feed with the source: when, counts and the first rows')
    .option('--corrections', 'print the correcting events of these rows instead, one per line', false)
    .action(
      action(async (context, _report, { corrections }: { corrections: boolean }) => {
        if (corrections) return { pages: correctionPages(context) };
        const last = await lastReconciliation(context);
        if (!last) throw new ReconcileRefusedError('reconcile has not run yet');
        return { json: last, text: renderLastReconciliation(last) };
      }),
    );
}

async function* correctionPages(
  context: CommandContext,
): AsyncGenerator<{ documents: readonly unknown[]; text: string }> {
  for await (const events of lastCorrections(context))
    if (events.length > 0)
      yield { documents: events, text: events.map((event) => JSON.stringify(event)).join('\n') };
}

const differs = ({ counts: { missing, extra, different } }: Reconciled): boolean =>
  missing + extra + different > 0;

const question = ({ removals, snapshots, hiding }: CorrectionCounts, topic: string): string =>
  `Publish ${countedCorrections({ removals, snapshots })}` +
  `${hiding > 0 ? `, of which ${counted(hiding, 'hides|hide')} a live listing,` : ''} to ${topic}?`;

function sourceOf(source: string, environment: CliEnvironment) {
  const { stdin } = environment;
  if (source !== STANDARD_INPUT) return operatorPath(environment.env, source);
  if (!stdin) throw new Error('standard input is not available here. Give the path of a file');
  return stdin;
}

/** One day. A Node.js timer fires at once if its delay exceeds 2^31 ms. */
const LONGEST_SETTLE = 86_400;

function settleSeconds(text: string): number {
  const seconds = natural(text);
  if (seconds > LONGEST_SETTLE)
    throw new InvalidArgumentError(`The value must be at most ${LONGEST_SETTLE} seconds.`);
  return seconds;
}

function pastInstant(text: string): number {
  let instant: number;
  try {
    instant = parseInstant(text);
  } catch (error) {
    throw new InvalidArgumentError(`The value is ${(error as Error).message}.`);
  }
  if (instant > Date.now()) throw new InvalidArgumentError('The time is in the future.');
  return instant;
}

function removals(text: string): MaxRemovals {
  const max = parseMaxRemovals(text);
  if (!max) throw new InvalidArgumentError('The value must be a number, or a share from 0% to 100%.');
  return max;
}
