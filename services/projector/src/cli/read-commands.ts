import { Command } from 'commander';
import type { LetterFilter } from '../dead-letters/letter-list.ts';
import { listDeadLetters } from '../dead-letters/list-dead-letters.ts';
import type { LetterProgress } from '../dead-letters/read-letters.ts';
import { renderDeadLetter, renderDeadLetters, renderRetry } from '../dead-letters/render-letters.ts';
import { retryDeadLetters } from '../dead-letters/retry-dead-letters.ts';
import { showDeadLetter } from '../dead-letters/show-dead-letter.ts';
import { explainListing } from '../explain/explain-listing.ts';
import { renderExplanation } from '../explain/render-explanation.ts';
import { gatherStatus } from '../status/gather-status.ts';
import { renderStatus } from '../status/render-status.ts';
import type { Action } from './command-action.ts';
import { positive } from './integers.ts';
import type { Tell } from './run-command.ts';

/** The commands that report the state of the system and the fate of records. */
export function readCommands(action: Action): Command[] {
  const status = new Command('status').description('generations, lag, items, hidden listings, dead letters, and what runs now').action(
    action(async (operation) => {
      const json = await gatherStatus(operation);
      return { json, text: renderStatus(json) };
    }),
  );
  const explain = new Command('explain')
    .description('why a listing is in the feed, or is not')
    .argument('<listing id>')
    .action(
      action(async (operation, tell, id: string) => {
        const json = await explainListing(operation, id, reading(tell));
        return { json, text: renderExplanation(json), refused: !json.found };
      }),
    );
  return [status, explain, deadLettersCommand(action)];
}

const reading =
  (tell: Tell) =>
  ({ done, total }: LetterProgress) =>
    tell('reading dead letters', done, total);

const REASON = ['--reason <reason>', 'only those with this reason'] as const;
const KEY = ['--key <listing id>', 'only those of this listing'] as const;

function deadLettersCommand(action: Action): Command {
  const command = new Command('dead-letters').description('records that could not become part of the feed');
  command
    .command('list')
    .description('what there is, newest first')
    .option(...REASON)
    .option(...KEY)
    .option('--limit <n>', 'how many are listed', positive, 50)
    .option('--all', 'those that were retried too', false)
    .action(
      action(async (operation, tell, options: LetterFilter & { limit: number; all: boolean }) => {
        const json = await listDeadLetters(operation, options, reading(tell));
        return { json, text: renderDeadLetters(json) };
      }),
    );
  command
    .command('show')
    .description('one of them, with all its bytes')
    .argument('<partition:offset>')
    .action(
      action(async (operation, tell, ref: string) => {
        const json = await showDeadLetter(operation, ref, reading(tell));
        return { json, text: renderDeadLetter(json) };
      }),
    );
  command
    .command('retry')
    .description('send again those that this code accepts; after a fix of the code')
    .argument('[partition:offset]', 'this one; all that the filters leave, unless told')
    .option(...REASON)
    .option(...KEY)
    .option('--dry-run', 'only say what would be sent', false)
    .action(
      action(async (operation, tell, ref: string | undefined, { dryRun, ...filter }: LetterFilter & { dryRun: boolean }) => {
        const json = await retryDeadLetters(operation, ref === undefined ? { ...filter, dryRun } : { ref, dryRun }, reading(tell));
        return { json, text: renderRetry(json), refused: json.stillRefusedTotal + json.notRetryableTotal > 0 };
      }),
    );
  return command;
}
