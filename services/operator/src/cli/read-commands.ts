import { Command } from 'commander';
import { explainListing } from '../explain/explain-listing.ts';
import { gatherStatus } from '../status/gather-status.ts';
import { renderExplanation } from '../text/render-explanation.ts';
import { renderStatus } from '../text/render-status.ts';
import { deadLettersCommand } from './dead-letters-command.ts';
import { type Action, reading } from './run-command.ts';

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
    .option(
      '--history',
      "also read the events topic, to show the listing's events and the time of each field",
      false,
    )
    .action(
      action(async (context, report, id: string, { history }: { history: boolean }) => {
        const json = await explainListing(context, id, reading(report), { history });
        return { json, text: renderExplanation(json), refused: !json.found };
      }),
    );
  return [status, explain, deadLettersCommand(action)];
}
