import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresServer } from '@vitrine/engines/sources';
import { readJson } from '../feed-client.ts';
import { exportLine, serviceLines } from '../greeting.ts';
import type { DemoSettings } from '../settings.ts';

const LOOK_EVERY_MS = 500;
const QUIET_LOOKS = 5;

interface Greeted {
  database: Pick<PostgresServer, 'psql' | 'url'>;
  hasConsole: boolean;
  /** The settings with which other processes reach the engines. */
  engines: Record<string, string>;
  /** Ends the requests and the waits. */
  signal: AbortSignal;
}

/** A category that no generated listing has. Its feed page therefore shows exactly the changed listing. */
const CATEGORY = { name: 'Oferta do dia', slug: 'oferta-do-dia' };

/**
 * The lines that `npm run start:database` prints once everything runs: an UPDATE to paste, and where it appears.
 */
export async function databaseGreeting(
  settings: DemoSettings,
  { database, hasConsole, engines, signal }: Greeted,
): Promise<string[]> {
  const { feedsUrl } = settings;
  const [listing, changes] = await Promise.all([
    firstListing(feedsUrl, signal),
    newestChanges(feedsUrl, signal),
  ]);
  return [
    '',
    `The feeds:  ${feedsUrl}/public-feed  and  ${feedsUrl}/ai-feed`,
    `Database:   ${database.psql} ${database.url}`,
    '',
    'Change a listing in another terminal:',
    `  ${updateLine(database, listing)}`,
    '',
    'About two seconds later, the change is here:',
    `  curl "${feedsUrl}/public-feed?category=${CATEGORY.slug}"`,
    `  curl "${changes}"`,
    '',
    ...serviceLines(settings, hasConsole, true),
    '',
    'In another terminal:',
    `  ${exportLine(engines)}`,
    `  npm run cli -- explain ${listing}`,
    '',
    'Ctrl-C stops everything and deletes the database.',
    '',
  ];
}

/** A line for a POSIX shell that changes a listing. */
const updateLine = ({ psql, url }: Greeted['database'], listing: string): string =>
  `${psql} ${url} -c "UPDATE listings SET category = '${CATEGORY.name}', price = 99.90 WHERE id = '${listing}'"`;

async function firstListing(feedsUrl: string, signal: AbortSignal): Promise<string> {
  const { data } = await readJson<{ data: { id: string }[] }>(`${feedsUrl}/public-feed?pageSize=1`, signal);
  return data[0]?.id ?? '';
}

/** The address of the changes after all current ones, once no more changes from the first load arrive. */
async function newestChanges(feedsUrl: string, signal: AbortSignal): Promise<string> {
  let quiet = 0;
  for (let url = `${feedsUrl}/changes`; ; ) {
    const { next, items } = await readJson<{ next: string; items: object[] }>(url, signal);
    quiet = items.length === 0 ? quiet + 1 : 0;
    if (quiet === QUIET_LOOKS) return next;
    url = next;
    if (items.length === 0) await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}
