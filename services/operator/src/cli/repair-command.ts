import { Command } from 'commander';
import { repairListing } from '../repair/repair-listing.ts';
import { previewText, renderRepair } from '../text/render-repair.ts';
import { confirmed } from './confirmation.ts';
import type { CliEnvironment } from './environment.ts';
import type { Action } from './run-command.ts';

/** `repair`: makes a listing whose versions are too high changeable again. */
export function repairCommand(action: Action, environment: CliEnvironment): Command {
  return new Command('repair')
    .description(
      "publish a listing's current content with the next version epoch, so that it can change again",
    )
    .argument('<listing id>')
    .requiredOption(
      '--epoch',
      'raise the version epoch of the listing by 1. Its source must then use this epoch',
    )
    .option('--yes', 'publish without asking', false)
    .action(
      action(async (context, _, id: string, { yes }: { yes: boolean }) => {
        const topic = context.settings.LISTING_EVENTS_TOPIC;
        const { repair, published } = await repairListing(context, id, async (preview) => {
          environment.stderr.write(`${previewText(preview, topic)}\n`);
          return confirmed(environment, yes, 'Publish?');
        });
        const { events, ...json } = repair;
        return {
          json: { ...json, events: events.length, published },
          text: renderRepair(repair, published),
          refused: !published,
        };
      }),
    );
}
