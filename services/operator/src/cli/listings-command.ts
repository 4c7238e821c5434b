import { moduleOf } from '@vitrine/feed-index';
import { DROPPED_MEMBERS, type Rules, reasonsOf } from '@vitrine/listing';
import { DEAD_LETTER_REASONS } from '@vitrine/projection/dead-letters';
import { Command, Option } from 'commander';
import { listListings } from '../listings/list-listings.ts';
import { type ListQuery, UnknownReasonError } from '../listings/listed.ts';
import { renderListings } from '../text/render-listings.ts';
import { positive } from './integers.ts';
import type { Action } from './run-command.ts';

interface ListingsOptions {
  hidden?: string | true;
  dropped?: string | true;
  superseded?: true;
  deadLetters?: string | true;
  source?: string;
  containing?: string;
  limit: number;
  after?: string;
  all: boolean;
}

const DEFAULT_LIMIT = 100;
const REQUIRED =
  "error: one of the options '--hidden', '--dropped', '--superseded', '--dead-letters' and '--source' is required";

/** The command that lists listings that are missing from the feed or differ from what their sources sent. */
export function listingsCommand(action: Action): Command {
  return new Command('listings')
    .description(
      'list the listings that differ from what their sources sent, in ascending order of their ids',
    )
    .addOption(
      new Option(
        '--hidden [reason]',
        "listings that the rules hide: removed, title, price, location, url, or a rules module's reason",
      ).conflicts(['dropped', 'superseded', 'deadLetters', 'source']),
    )
    .addOption(
      new Option('--dropped [member]', 'listings with members that the rules leave out of the item')
        .choices(DROPPED_MEMBERS)
        .conflicts(['superseded', 'deadLetters', 'source']),
    )
    .addOption(
      new Option(
        '--superseded',
        'listings of which a source sent an event that changed nothing, because of higher versions',
      ).conflicts(['deadLetters']),
    )
    .addOption(
      new Option(
        '--dead-letters [reason]',
        'listings with records that the projector could not apply',
      ).choices(DEAD_LETTER_REASONS),
    )
    .option('--source <source>', 'only events of this source. If no list is chosen, the list is --superseded')
    .option('--containing <text>', 'only listings whose id contains this text')
    .option('--limit <n>', 'maximum number of listings', positive, DEFAULT_LIMIT)
    .option('--after <listing id>', 'only listings with a higher id')
    .addOption(new Option('--all', 'list all listings').default(false).conflicts('limit'))
    .hook('preAction', (_, command) => {
      if (!queryOf(command.opts<ListingsOptions>())) command.error(REQUIRED);
    })
    .action(
      action(async (context, report, options: ListingsOptions) => {
        const { limit, after, all } = options;
        const query = queryOf(options) as ListQuery;
        assertReason(query, context.rules);
        const page = { ...(all ? { all } : { limit }), ...(after !== undefined && { after }) };
        const pages = listListings(context, query, page, ({ done, total }) =>
          report(query.kind === 'dead-letters' ? 'reading records' : 'reading states', done, total),
        );
        return { pages: rendered(pages, query, limit) };
      }),
    );
}

/** The rules module is known only after the settings are read. @throws UnknownReasonError */
function assertReason({ kind, name }: ListQuery, rules: Rules): void {
  const known: readonly string[] = reasonsOf(rules);
  if (kind !== 'hidden' || name === undefined || known.includes(name)) return;
  throw new UnknownReasonError(
    `${JSON.stringify(name)} is not a reason for hiding a listing. ` +
      `The rules can hide a listing for these reasons: ${known.join(', ')}` +
      (moduleOf(rules.version) ? '' : '. RULES_MODULE is not set'),
  );
}

async function* rendered(
  pages: ReturnType<typeof listListings>,
  query: ListQuery,
  limit: number,
): AsyncGenerator<{ documents: readonly unknown[]; text: string }> {
  for await (const page of pages)
    yield { documents: page.listings, text: renderListings(query, limit, page) };
}

/** Returns the list that the options select, or undefined if they select none. */
function queryOf({
  hidden,
  dropped,
  superseded,
  deadLetters,
  source,
  containing,
}: ListingsOptions): ListQuery | undefined {
  const filters = {
    ...(source !== undefined && { source }),
    ...(containing !== undefined && { containing }),
  };
  const named = (name: string | true) => (name === true ? {} : { name });
  if (hidden !== undefined) return { kind: 'hidden', ...named(hidden), ...filters };
  if (dropped !== undefined) return { kind: 'dropped', ...named(dropped), ...filters };
  if (deadLetters !== undefined) return { kind: 'dead-letters', ...named(deadLetters), ...filters };
  if (superseded !== undefined || source !== undefined) return { kind: 'superseded', ...filters };
  return undefined;
}
