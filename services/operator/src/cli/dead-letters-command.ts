import { Command, InvalidArgumentError } from 'commander';
import type { CommandContext } from '../command-context.ts';
import type { DeadLetterFilter } from '../dead-letters/dead-letter-filter.ts';
import { DeadLetterError } from '../dead-letters/dead-letter-ref.ts';
import { dismissDeadLetters } from '../dead-letters/dismiss-dead-letters.ts';
import { listDeadLetters } from '../dead-letters/list-dead-letters.ts';
import { retryDeadLetters } from '../dead-letters/retry-dead-letters.ts';
import { showDeadLetter } from '../dead-letters/show-dead-letter.ts';
import {
  renderDeadLetter,
  renderDeadLetters,
  renderDismissal,
  renderRetry,
} from '../text/render-dead-letters.ts';
import { positive } from './integers.ts';
import { type Action, reading } from './run-command.ts';

interface OfIngest {
  ingest?: true;
  ingestTopic?: string;
}

interface DismissOptions extends Omit<DeadLetterFilter, 'reason'>, OfIngest {
  refusal?: string;
  reason: string;
  dryRun: boolean;
}

const LONGEST_REASON = 500;
const REASON = ['--reason <reason>', 'only dead letters with this reason'] as const;

/** The command that lists, shows, retries and dismisses dead letters. */
export function deadLettersCommand(action: Action): Command {
  const command = new Command('dead-letters').description(
    'list, show, retry or dismiss records that the projector or the ingest could not apply',
  );
  withFilters(command.command('list'))
    .description('list the open dead letters by cause, newest first')
    .option(...REASON)
    .option('--limit <n>', 'maximum number of dead letters to list', positive, 50)
    .option('--all', 'include dead letters that were sent again, dismissed or corrected', false)
    .action(
      action(
        async (context, report, options: DeadLetterFilter & OfIngest & { limit: number; all: boolean }) => {
          const json = await listDeadLetters(
            await withTopic(context, topicOf(context, options)),
            options,
            reading(report),
          );
          return { json, text: renderDeadLetters(json) };
        },
      ),
    );
  ofIngest(command.command('show'))
    .description('show one dead letter with its content')
    .argument('<partition:offset>')
    .action(
      action(async (context, report, ref: string, options: OfIngest) => {
        const json = await showDeadLetter(
          await withTopic(context, topicOf(context, options)),
          ref,
          reading(report),
        );
        return { json, text: renderDeadLetter(json) };
      }),
    );
  withFilters(command.command('retry'))
    .description(
      'send records to the events topic again if this code accepts them, for example after a fix; with --ingest, ' +
        'send them to the topics that they came from',
    )
    .argument('[partition:offset]', 'default: all dead letters that match the filters')
    .option(...REASON)
    .option('--dry-run', 'show which records would be sent, but send nothing', false)
    .action(
      action(
        async (
          context,
          report,
          ref: string | undefined,
          { dryRun, ...options }: DeadLetterFilter & OfIngest & { dryRun: boolean },
        ) => {
          const json = await retryDeadLetters(
            await withTopic(context, topicOf(context, options)),
            { ...(ref === undefined ? options : { ref }), dryRun },
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
  withFilters(command.command('dismiss'))
    .description(
      'record that dead letters need no further action, and why; the lists and counts then leave them out, also ' +
        'after a replay',
    )
    .argument('[partition:offset]', 'default: all open dead letters that match the filters')
    .requiredOption('--reason <text>', 'why they need no further action', reasonOfDismissal)
    .option('--refusal <reason>', 'only dead letters with this reason, for example schema')
    .option('--dry-run', 'show how many would be dismissed, but dismiss nothing', false)
    .hook('preAction', (_, dismiss) => {
      const { refusal, key, cause, since, until } = dismiss.opts<DismissOptions>();
      if (dismiss.args.length === 0 && [refusal, key, cause, since, until].every((one) => one === undefined))
        dismiss.error('error: name a dead letter (partition:offset), or select some with a filter');
    })
    .action(
      action(async (context, report, ref: string | undefined, options: DismissOptions) => {
        const { reason: why, refusal, dryRun, ...filters } = options;
        const selected =
          ref === undefined ? { ...filters, ...(refusal !== undefined && { reason: refusal }) } : { ref };
        const json = await dismissDeadLetters(
          await withTopic(context, topicOf(context, options)),
          { ...selected, why, dryRun },
          reading(report),
        );
        return { json, text: renderDismissal(json) };
      }),
    );
  return command;
}

const ofIngest = (command: Command): Command =>
  command
    .option(
      '--ingest',
      "the ingest's dead letters, in <events topic>.ingest-dead-letters, instead of the projector's",
    )
    .option('--ingest-topic <name>', "the ingest's dead letters in this topic");

const withFilters = (command: Command): Command =>
  ofIngest(command)
    .option('--cause <id>', 'only dead letters with this cause, which list prints')
    .option('--key <listing id>', 'only dead letters of this listing')
    .option('--since <time>', 'only dead letters written at this time or later (ISO 8601)', instant)
    .option('--until <time>', 'only dead letters written before this time (ISO 8601)', instant);

/** @throws InvalidArgumentError */
function instant(text: string): number {
  const at = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at))
    throw new InvalidArgumentError('The value must be a time such as 2026-11-01T12:00:00Z.');
  return at;
}

/** @throws InvalidArgumentError */
function reasonOfDismissal(text: string): string {
  const reason = text.trim().toWellFormed();
  if (reason === '' || reason.length > LONGEST_REASON)
    throw new InvalidArgumentError(`The value must have 1 to ${LONGEST_REASON} characters.`);
  return reason;
}

/** The dead-letter topic of the ingest, if the options name it. */
const topicOf = ({ settings }: CommandContext, { ingest, ingestTopic }: OfIngest): string | undefined =>
  ingestTopic ?? (ingest && `${settings.LISTING_EVENTS_TOPIC}.ingest-dead-letters`);

/**
 * The context with this dead-letter topic of the ingest.
 * @throws DeadLetterError if the topic does not exist, because an empty list would hide a wrong name
 */
async function withTopic(context: CommandContext, topic: string | undefined): Promise<CommandContext> {
  if (topic === undefined) return context;
  if (!(await context.admin.listTopics()).includes(topic))
    throw new DeadLetterError(
      `The topic ${topic} does not exist, or this user may not see it. If the ingest has its own ` +
        'INGEST_DEAD_LETTER_TOPIC, give that name in --ingest-topic.',
    );
  return {
    ...context,
    settings: { ...context.settings, DEAD_LETTER_TOPIC: topic },
    deadLettersOfIngest: true,
  };
}
