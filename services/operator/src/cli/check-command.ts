import { instantFault, parseInstant } from '@vitrine/listing-events';
import { operatorPath } from '@vitrine/runtime/operator-path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type CheckContext, type Checked, check } from '../check/check.ts';
import { renderCheck } from '../text/render-check.ts';
import type { CliEnvironment } from './environment.ts';
import { positive } from './integers.ts';
import type { Action } from './run-command.ts';

interface CheckOptions {
  topic?: string;
  fromBeginning?: true;
  since?: number;
  last?: number;
  report?: string;
  mapped?: true;
}

/** The command that checks events before anything goes live. */
export function checkCommand(action: Action<CheckContext>, environment: CliEnvironment): Command {
  return new Command('check')
    .description(
      'check the events of a file or a topic, and show the feed that they would give; the exit code is 3 if ' +
        'a record would be refused',
    )
    .argument(
      '[file]',
      'a file with one event, an array of events, or one event per line. Use - for standard input',
    )
    .option('--topic <name>', 'check the records of a topic instead of a file')
    .addOption(
      new Option('--from-beginning', 'all records of the topic (default)').conflicts(['since', 'last']),
    )
    .addOption(
      new Option('--since <time>', 'the records from this time on: 2026-11-01, or 2026-11-01T12:00:00Z')
        .argParser(instant)
        .conflicts('last'),
    )
    .option('--last <n>', 'the newest n records, spread as evenly over the partitions as possible', positive)
    .option('--report <file>', 'also write every finding to this file, one JSON document per line')
    .addOption(
      new Option('--mapped', "the file's lines come from the dry run of an ingest")
        .conflicts('topic')
        .hideHelp(),
    )
    .hook('preAction', (_, command) => {
      const { topic, fromBeginning, since, last } = command.opts<CheckOptions>();
      if (command.args.length > 0 === (topic !== undefined))
        command.error("error: name either a file or a topic: '[file]' or '--topic <name>'");
      if (topic === undefined && (fromBeginning ?? since ?? last) !== undefined)
        command.error("error: '--from-beginning', '--since' and '--last' need '--topic <name>'");
    })
    .action(
      action(async (context, progress, file: string | undefined, options: CheckOptions) => {
        const input = file === undefined || file === '-' ? file : operatorPath(environment.env, file);
        const report =
          options.report === undefined ? undefined : operatorPath(environment.env, options.report);
        const result = await check(context, checkedOf(input, options), report, progress);
        return {
          json: result.summary,
          text: renderCheck(result, options.report, context.rules),
          refused: result.findings > 0,
        };
      }),
    );
}

function checkedOf(file: string | undefined, { topic = '', since, last, mapped }: CheckOptions): Checked {
  if (file !== undefined) return { file, mapped: mapped ?? false };
  return { topic, part: since !== undefined ? { since } : last !== undefined ? { last } : 'all' };
}

/**
 * Reads an RFC 3339 date-time, or a date, which stands for its first instant in UTC.
 * @throws InvalidArgumentError
 */
function instant(text: string): number {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text;
  if (instantFault(time) !== undefined)
    throw new InvalidArgumentError('The value must be a date or a time like 2026-11-01T12:00:00Z.');
  return parseInstant(time);
}
