import type { ScanProgress } from '@vitrine/kafka';
import { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import type { DeadLetterFilter } from '../dead-letters/dead-letter-collector.ts';
import { listDeadLetters } from '../dead-letters/list-dead-letters.ts';
import { retryDeadLetters } from '../dead-letters/retry-dead-letters.ts';
import { showDeadLetter } from '../dead-letters/show-dead-letter.ts';
import { explainListing } from '../explain/explain-listing.ts';
import { gatherStatus } from '../status/gather-status.ts';
import { renderDeadLetter, renderDeadLetters, renderRetry } from '../text/render-dead-letters.ts';
import { renderExplanation } from '../text/render-explanation.ts';
import { renderStatus } from '../text/render-status.ts';
import type { Action } from './command-action.ts';
import { positive } from './integers.ts';
import type { ReportProgress } from './run-command.ts';

/** The commands that show the state of the system, and what happened to listings and records. */
export function readCommands(action: Action): Command[] {
  const status = new Command('status')
    .description('show generations, lag, items, hidden listings, dead letters and the progress of a replay')
    .action(
      action(async (context) => {
        const json = await gatherStatus(context);
        return { json, text: renderStatus(json) };
      }),
    );
  const explain = new Command('explain')
    .description('explain why a listing is or is not in the feed')
    .argument('<listing id>')
    .option('--history', 'also read the events topic, to show the time of each field and the events', false)
    .action(
      action(async (context, report, id: string, { history }: { history: boolean }) => {
        const json = await explainListing(context, id, reading(report), { history });
        return { json, text: renderExplanation(json), refused: !json.found };
      }),
    );
  return [status, explain, deadLettersCommand(action)];
}

const reading =
  (report: ReportProgress) =>
  ({ done, total }: ScanProgress) =>
    report('reading records', done, total);

const REASON = ['--reason <reason>', 'only dead letters with this reason'] as const;
const INGEST = [
  '--ingest',
  "the ingest's dead letters, in <events topic>.ingest-dead-letters, instead of the projector's",
] as const;
const INGEST_TOPIC = ['--ingest-topic <name>', "the ingest's dead letters in this topic"] as const;
const KEY = ['--key <listing id>', 'only dead letters of this listing'] as const;

interface OfIngest {
  ingest?: true;
  ingestTopic?: string;
}

/** The dead-letter topic of the ingest, if the options name it. */
const topicOf = ({ settings }: CommandContext, { ingest, ingestTopic }: OfIngest): string | undefined =>
  ingestTopic ?? (ingest && `${settings.LISTING_EVENTS_TOPIC}.ingest-dead-letters`);

/** The context with this dead-letter topic. */
const withTopic = (context: CommandContext, topic: string | undefined): CommandContext =>
  topic === undefined ? context : { ...context, settings: { ...context.settings, DEAD_LETTER_TOPIC: topic } };

function deadLettersCommand(action: Action): Command {
  const command = new Command('dead-letters').description(
    'list, show or retry records that the projector or the ingest could not apply',
  );
  command
    .command('list')
    .description('list the dead letters, newest first')
    .option(...REASON)
    .option(...KEY)
    .option('--limit <n>', 'maximum number of dead letters to list', positive, 50)
    .option('--all', 'include dead letters that were already retried', false)
    .option(...INGEST)
    .option(...INGEST_TOPIC)
    .action(
      action(
        async (context, report, options: DeadLetterFilter & OfIngest & { limit: number; all: boolean }) => {
          const json = await listDeadLetters(
            withTopic(context, topicOf(context, options)),
            options,
            reading(report),
          );
          return { json, text: renderDeadLetters(json) };
        },
      ),
    );
  command
    .command('show')
    .description('show one dead letter with its content')
    .argument('<partition:offset>')
    .option(...INGEST)
    .option(...INGEST_TOPIC)
    .action(
      action(async (context, report, ref: string, options: OfIngest) => {
        const json = await showDeadLetter(
          withTopic(context, topicOf(context, options)),
          ref,
          reading(report),
        );
        return { json, text: renderDeadLetter(json) };
      }),
    );
  command
    .command('retry')
    .description(
      'send records to the events topic again if this code accepts them, for example after a fix; with --ingest, ' +
        'send them to the topics that they came from',
    )
    .argument('[partition:offset]', 'default: all dead letters that match the filters')
    .option(...REASON)
    .option(...KEY)
    .option('--dry-run', 'show which records would be sent, but send nothing', false)
    .option(...INGEST)
    .option(...INGEST_TOPIC)
    .action(
      action(
        async (
          context,
          report,
          ref: string | undefined,
          { dryRun, ...options }: DeadLetterFilter & OfIngest & { dryRun: boolean },
        ) => {
          const topic = topicOf(context, options);
          const json = await retryDeadLetters(
            withTopic(context, topic),
            { ...(ref === undefined ? options : { ref }), dryRun, ofIngest: topic !== undefined },
            reading(report),
          );
          return {
            json,
            text: renderRetry(json),
            refused: json.stillRefusedTotal + json.notRetryableTotal > 0,
          };
        },
      ),
    );
  return command;
}
