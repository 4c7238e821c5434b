import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type pg from 'pg';
import { databaseItems, type FeedItem } from './database-items.ts';

/** A listing for which the feed and the database disagree. */
export interface Disagreement {
  id: string;
  kind: 'missing' | 'extra' | 'different';
  /** The members that differ. */
  members?: Record<string, { database: unknown; feed: unknown }>;
}

/**
 * Compares the feed with the database: the public export over HTTP on one side, SQL on the other. This program
 * shares no code with the product, so a mistake cannot hide on both sides.
 * @param base the base URL of the feeds
 * @param items the items that the feed must contain; by default, those of MARKETPLACE_SCHEMA
 * @param served returns the part of a feed's item that is compared
 * @returns the disagreements in ascending order of id; none means that the feed equals the database
 */
export async function compareFeed(
  pool: pg.Pool,
  base: string,
  items: (pool: pg.Pool) => Promise<Map<string, FeedItem>> = databaseItems,
  served: (item: FeedItem) => FeedItem = (item) => item,
): Promise<Disagreement[]> {
  const [database, feed] = await Promise.all([items(pool), exportedItems(base)]);
  const ids = [...new Set([...database.keys(), ...feed.keys()])].sort();
  return ids.flatMap((id): Disagreement[] => {
    const [mine, exported] = [database.get(id), feed.get(id)];
    if (!exported) return [{ id, kind: 'missing' }];
    if (!mine) return [{ id, kind: 'extra' }];
    const theirs = served(exported);
    const names = Object.keys({ ...mine, ...theirs }).filter(
      (name) => !isDeepStrictEqual(mine[name], theirs[name]),
    );
    if (names.length === 0) return [];
    const members = Object.fromEntries(
      names.map((name) => [name, { database: mine[name], feed: theirs[name] }]),
    );
    return [{ id, kind: 'different', members }];
  });
}

async function exportedItems(base: string): Promise<Map<string, FeedItem>> {
  const items = new Map<string, FeedItem>();
  let after: string | undefined;
  for (;;) {
    // An empty response with a length proves that the export is complete (docs/reference/rules.md#export).
    const response = await request(`${base}/export${after === undefined ? '' : `?after=${after}`}`);
    if (response.status !== 200) throw new Error(`/export: ${response.status} ${await response.text()}`);
    const lines = (await response.text()).split('\n').filter((line) => line !== '');
    if (lines.length === 0) return items;
    for (const line of lines) {
      const item = JSON.parse(line) as FeedItem & { id: string };
      items.set(item.id, item);
      after = item.id;
    }
  }
}

/**
 * A busy service may refuse a request, and says when to repeat it (docs/reference/rules.md#responses). On a
 * slow machine, the service can close an idle connection at the moment at which the client uses it. HTTP
 * clients then repeat the request once (RFC 9110 §9.2.2).
 */
async function request(url: string, attempts = 20): Promise<Response> {
  const response = await fetch(url).catch((error: Error) => {
    if ((error.cause as { code?: string } | undefined)?.code === 'UND_ERR_SOCKET') return fetch(url);
    throw error;
  });
  const seconds = Number(response.headers.get('retry-after'));
  if (response.status !== 503 || attempts === 1 || !seconds) return response;
  await response.body?.cancel();
  await sleep(1_000 * seconds);
  return request(url, attempts - 1);
}
