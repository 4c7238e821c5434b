import { operatorPath } from '@vitrine/runtime/operator-path';
import { SettingsError } from '@vitrine/runtime/settings';
import { Command, InvalidArgumentError } from 'commander';
import { type Exported, exportFeed } from '../followers/export-feed.ts';
import { FeedClient, type FollowedChange } from '../followers/feed-client.ts';
import { tailChanges } from '../followers/tail-changes.ts';
import { counted, printable, shortened, size } from '../text/plain-text.ts';
import type { Open } from './connect.ts';
import type { CliEnvironment } from './environment.ts';
import { lockFile } from './process/file-lock.ts';
import type { Action } from './run-command.ts';

/** The context of a command that uses only the public interface. */
export interface FollowerContext extends Pick<CliEnvironment, 'env' | 'stdout' | 'stderr' | 'signal'> {
  /** The base URL of the feeds, from the environment. */
  base: string;
}

/** Reads PUBLIC_URL and BASE_PATH. Connects to nothing. @throws SettingsError */
export const openFollower: Open<FollowerContext> = async ({ env, stdout, stderr, signal }) => {
  const given = `${env.PUBLIC_URL ?? 'http://127.0.0.1:8080'}${env.BASE_PATH ?? '/api'}`;
  const base = feedUrl(given);
  // The value may contain a password.
  if (base === undefined) throw new SettingsError(['PUBLIC_URL and BASE_PATH must form an http(s) URL']);
  return { context: { base, env, stdout, stderr, signal }, close: async () => undefined };
};

const URL_OPTION = [
  '--url <url>',
  'URL of the feeds (default: PUBLIC_URL and BASE_PATH, or http://127.0.0.1:8080/api)',
  (text: string): string => {
    const url = feedUrl(text);
    if (url === undefined) throw new InvalidArgumentError('The value must be an http or https URL.');
    return url;
  },
] as const;

/** The commands that read the changes and the export over HTTP, as any client does. */
export function followerCommands(action: Action<FollowerContext>, asJson: () => boolean): Command[] {
  const changes = new Command('changes').description('follow the changes of the live feed');
  changes
    .command('tail')
    .description('print changes as they arrive, beginning at most half a minute before now, until Ctrl-C')
    .option(...URL_OPTION)
    .option('--after <change number>', 'begin after this change number; 0 for all items', changeNumber)
    .action(
      action(async (context, _report, { url, after }: { url?: string; after?: number }) => {
        const { stdout, stderr, signal } = context;
        const render = asJson() ? (change: FollowedChange) => JSON.stringify(change) : renderChange;
        await tailChanges(new FeedClient(url ?? context.base, signal), {
          after,
          onChange: (change) => stdout.write(`${render(change)}\n`),
          onOutage: (reason) => stderr.write(`${reason}; trying again\n`),
          signal,
        });
        return 'printed';
      }),
    );
  const exportCommand = new Command('export')
    .description('write all items of the live feed to a file, one JSON document per line')
    .requiredOption(
      '--out <file>',
      'the file for the export; a repeated command continues an interrupted export',
    )
    .option(...URL_OPTION)
    .option('--restart', 'discard an interrupted export', false)
    .action(
      action(async (context, report, options: { out: string; url?: string; restart: boolean }) => {
        const { stderr, signal } = context;
        const out = operatorPath(context.env, options.out);
        const unlock = await lockFile(`${out}.part.lock`, `an export to ${out}`);
        const json = await exportFeed(new FeedClient(options.url ?? context.base, signal), {
          out,
          restart: options.restart,
          onProgress: (done, total) => report('exporting', done, total),
          onNotice: (message) => stderr.write(`${message}\n`),
          signal,
        }).finally(unlock);
        return { json, text: renderExport(json) };
      }),
    );
  return [changes, exportCommand];
}

/** An http(s) URL without a trailing slash, query or fragment. */
function feedUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

function changeNumber(text: string): number {
  if (!/^\d{1,16}$/.test(text) || !Number.isSafeInteger(Number(text)))
    throw new InvalidArgumentError('The value must be an integer from 0 to 9007199254740991.');
  return Number(text);
}

function renderChange({ state, modified, id, data }: FollowedChange): string {
  const { title, price } = data ?? {};
  const item = data ? `  ${String(price)}  ${shortened(printable(String(title)), 60)}` : '';
  return `${modified}  ${state.padEnd('deleted'.length)}  ${printable(id)}${item}`;
}

const renderExport = ({ out, items, bytes, changes }: Exported): string =>
  `exported ${counted(items, 'item|items')} to ${out} (${size(bytes)})\n` +
  `The changes continue at ${changes}`;
