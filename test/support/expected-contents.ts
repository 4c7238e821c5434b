import { createHash } from 'node:crypto';
import type { ItemDocument } from '@vitrine/feed-index';
import { expect } from 'chai';
import type { Deployment, Published } from './deployment.ts';
import { modelOf as oracleOf } from './oracle/model.ts';

/** The expected contents of the index and the expected dead letters, according to the oracle. */
export interface Model {
  items: Map<string, ItemDocument>;
  hidden: Map<string, string>;
  /** The key and value of each expected dead letter, in the format of `letterText`. */
  poison: string[];
  skipped: number;
}

/** The oracle's model of these records, in the index's types. */
export function modelOf(records: readonly Published[]): Model {
  const { items, hidden, deadLetters, skipped } = oracleOf(records);
  const poison = deadLetters.map(({ key, value }) => letterText(toBuffer(key), toBuffer(value)));
  return { items: items as unknown as Map<string, ItemDocument>, hidden, poison, skipped };
}

/** Encodes a record's key and value as one string, which differs if the bytes differ. */
const letterText = (key: Buffer | null, value: Buffer | null): string =>
  `${key?.toString('base64') ?? 'null'} ${value ? createHash('sha256').update(value).digest('hex') : 'null'}`;

const toBuffer = (part: string | Buffer | null): Buffer | null =>
  typeof part === 'string' ? Buffer.from(part) : part;

/**
 * Asserts that the index equals the fold of the log. The items must be exactly those of the model, and the
 * hidden listings must have the model's reasons. Each invalid record must have a dead letter, and no other
 * record may have one.
 */
export async function expectFold(deployment: Deployment, records: readonly Published[]): Promise<void> {
  const model = modelOf(records);
  const items = await deployment.items();
  expect([...items.keys()].sort(), 'ids of the items').to.deep.equal([...model.items.keys()].sort());
  for (const [id, item] of items) expect(item, id).to.deep.equal(model.items.get(id));

  const expected: Record<string, number> = {};
  for (const reason of model.hidden.values()) expected[reason] = (expected[reason] ?? 0) + 1;
  expect(await hiddenByReason(deployment), 'hidden listings by reason').to.deep.equal(expected);

  const deadLetters = (await deployment.deadLetters()).map(({ key, value }) =>
    letterText(key as Buffer | null, value as Buffer | null),
  );
  expect(deadLetters.sort(), 'dead letters, one for each record').to.deep.equal(model.poison.sort());
}

/** Number of hidden listings by reason, according to the states. */
export async function hiddenByReason({ client, prefix }: Deployment): Promise<Record<string, number>> {
  await client.indices.refresh({ index: `${prefix}-states` });
  const { aggregations } = await client.search<
    unknown,
    { reasons: { buckets: { key: string; doc_count: number }[] } }
  >({
    index: `${prefix}-states`,
    size: 0,
    aggs: { reasons: { terms: { field: 'hidden' } } },
  });
  return Object.fromEntries(
    (aggregations?.reasons.buckets ?? []).map(({ key, doc_count }) => [key, doc_count]),
  );
}
