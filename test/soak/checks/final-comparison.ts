import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import { itemsAlias } from '@vitrine/feed-index';
import type { Deployment } from '../../support/deployment.ts';
import type { FollowerProgram } from '../../support/follower-program.ts';
import type { OracleItem } from '../../support/oracle/item.ts';
import { modelOf } from '../../support/oracle/model.ts';
import type { LogRecord } from '../../support/oracle/record.ts';
import { readTopic } from '../../support/read-topic.ts';
import { digestOf } from '../load/publisher.ts';
import { ROW_PREFIX } from '../load/row-database.ts';
import {
  compareDocuments,
  compareTexts,
  countDifferences,
  type Differences,
  describeDifferences,
} from './compare.ts';
import type { ServedItem } from './invariants.ts';

/** One comparison at the end of a run. */
export interface Comparison {
  readonly what: string;
  /** Number of compared documents. */
  readonly size: number;
  readonly differences: number;
  /** The differing ids. Empty if there are none. */
  readonly detail: string;
}

export interface FinalState {
  readonly deployment: Deployment;
  readonly queries: readonly { readonly name: string; readonly origin: string }[];
  readonly followers: readonly FollowerProgram[];
  /** The copy of the follower that asks all services in turn. */
  readonly copy: ReadonlyMap<string, unknown>;
  /** The digests of the records that Kafka has confirmed. */
  readonly confirmed: ReadonlySet<string>;
  /** The rows of the marketplace's database that the feed must contain. */
  readonly rows: ReadonlyMap<string, unknown>;
  /** How long a comparison may take until it finds no difference. */
  readonly equalWithinMs: number;
}

const PAGE_SIZE = 100;
const AGAIN_MS = 3_000;

/** Compares everything that readers can hold with the fold of the whole log. */
export async function compareAll(state: FinalState): Promise<Comparison[]> {
  const { deployment, queries, followers, copy, confirmed, rows, equalWithinMs } = state;
  const untilEqual = repeated(equalWithinMs);
  const log = await readTopic(deployment.env, deployment.topic);
  // The soak publishes no header with the value null.
  const model = modelOf(log as Parameters<typeof modelOf>[0]);
  const inFeed = mapOf(model.items, catalogItem);
  const withCalendar = mapOf(model.items, agentItem);
  const ofFollower = mapOf(model.items, exportedItem);
  const results = [
    result('records: confirmed, and in the log', confirmed.size, {
      missing: [...confirmed.difference(new Set(log.map(digestOf)))],
      extra: [],
      different: [],
    }),
    await untilEqual('index: items', model.items, () => indexItems(deployment.client, deployment.prefix)),
    await deadLetters(deployment, model.deadLetters),
    await untilEqual(`feed: rows of the marketplace`, rows, async () =>
      rowsOf(await exported(`${queries[0]?.origin}/api/export`)),
    ),
  ];
  for (const { name, origin } of queries)
    results.push(
      await untilEqual(`${name}: pages of the public feed`, inFeed, () => crawl(`${origin}/api/public-feed`)),
      await untilEqual(`${name}: pages of the agent feed`, withCalendar, () =>
        crawl(`${origin}/api/ai-feed`),
      ),
      await untilEqual(`${name}: export`, ofFollower, () => exported(`${origin}/api/export`)),
    );
  for (const [i, follower] of followers.entries())
    results.push(
      await untilEqual(`follower ${i + 1}: copy`, ofFollower, async () =>
        mapOf(follower.copy(), (data) => JSON.parse(data) as unknown),
      ),
    );
  results.push(await untilEqual('follower of both services: copy', ofFollower, async () => copy));
  return results;
}

const mapOf = <A, B>(map: ReadonlyMap<string, A>, convert: (value: A) => B): Map<string, B> =>
  new Map([...map].map(([id, value]) => [id, convert(value)]));
const catalogItem = ({ feed_item }: OracleItem) => feed_item;
const agentItem = ({ feed_item, calendar }: OracleItem) => ({ ...feed_item, availability: calendar });
const exportedItem = (item: OracleItem) => ({
  ...agentItem(item),
  ...(item.ad_type !== undefined && { ad_type: item.ad_type }),
  published_at: new Date(item.published_at).toISOString(),
});

/** The rows that a feed shows. The market's other listings have no row. */
const rowsOf = (items: ReadonlyMap<string, unknown>): Map<string, unknown> =>
  new Map(
    [...items].flatMap(([id, item]) => {
      const { title, price, location, url } = item as ServedItem & { location: { city: string } };
      return id.startsWith(ROW_PREFIX) ? [[id, { title, price, city: location.city, url }]] : [];
    }),
  );

const result = (what: string, size: number, differences: Differences): Comparison => ({
  what,
  size,
  differences: countDifferences(differences),
  detail: describeDifferences(differences),
});

/** Repeats a comparison until it finds nothing, or for a bounded time. */
const repeated =
  (withinMs: number) =>
  async (
    what: string,
    expected: ReadonlyMap<string, unknown>,
    read: () => Promise<ReadonlyMap<string, unknown>>,
  ): Promise<Comparison> => {
    const deadline = Date.now() + withinMs;
    for (;;) {
      const differences = compareDocuments(expected, await read());
      if (countDifferences(differences) === 0 || Date.now() > deadline)
        return result(what, expected.size, differences);
      await sleep(AGAIN_MS);
    }
  };

async function indexItems(client: Client, prefix: string): Promise<Map<string, unknown>> {
  await client.indices.refresh({ index: itemsAlias(prefix) });
  const items = new Map<string, unknown>();
  for await (const item of client.helpers.scrollDocuments<{ id: string }>({
    index: itemsAlias(prefix),
    size: 1_000,
  }))
    items.set(item.id, item);
  return items;
}

async function crawl(url: string): Promise<Map<string, unknown>> {
  const items = new Map<string, unknown>();
  for (let number = 1; ; number++) {
    const response = await fetch(`${url}?pageSize=${PAGE_SIZE}&page=${number}`);
    if (!response.ok) throw new Error(`${url}, page ${number}: ${response.status}`);
    const { data, meta } = (await response.json()) as { data: ServedItem[]; meta: { pageCount: number } };
    for (const item of data) items.set(item.id, item);
    if (number >= meta.pageCount) return items;
  }
}

async function exported(url: string): Promise<Map<string, unknown>> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  const lines = (await response.text()).split('\n').filter(Boolean);
  return new Map(lines.map((line) => JSON.parse(line) as ServedItem).map((item) => [item.id, item]));
}

/** Each invalid record has one dead letter with exactly its bytes. */
async function deadLetters(deployment: Deployment, expected: readonly LogRecord[]): Promise<Comparison> {
  const found = await deployment.deadLetters();
  const actual = found.map(({ key, value }) => digestOf({ key: key ?? null, value: value ?? null }));
  return result('dead letters', expected.length, compareTexts(expected.map(digestOf), actual));
}
