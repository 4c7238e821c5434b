import { createHash } from 'node:crypto';
import type { ItemDocument } from '@vitrine/feed-index';
import type { Published } from './deployment.ts';
import { modelOf as oracleOf } from './oracle/model.ts';

/** The expected contents of the index and the expected dead letters, according to the oracle. */
export interface Model {
  items: Map<string, ItemDocument>;
  hidden: Map<string, string>;
  /** Key and value of each expected dead letter, in the format of `letterText`. */
  poison: string[];
  skipped: number;
}

/** The oracle's model of these records, in the types of the index. */
export function modelOf(records: readonly Published[]): Model {
  const { items, hidden, deadLetters, skipped } = oracleOf(records);
  const poison = deadLetters.map(({ key, value }) => letterText(toBuffer(key), toBuffer(value)));
  return { items: items as unknown as Map<string, ItemDocument>, hidden, poison, skipped };
}

/** A record's key and value as one text. Different bytes give different texts. */
export const letterText = (key: Buffer | null, value: Buffer | null): string =>
  `${key?.toString('base64') ?? 'null'} ${value ? createHash('sha256').update(value).digest('hex') : 'null'}`;

const toBuffer = (part: string | Buffer | null): Buffer | null => (typeof part === 'string' ? Buffer.from(part) : part);
