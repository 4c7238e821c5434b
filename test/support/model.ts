import { createHash } from 'node:crypto';
import type { ItemDocument } from '@vitrine/feed-index';
import { decodeRecord, type ListingEvent } from '@vitrine/listing-events';
import { deriveItem, EMPTY_STATE, fold } from '@vitrine/projector';
import type { Published } from './deployment.ts';

/** What the index must hold and what must have been refused, worked out in memory from the records alone. */
export interface Model {
  items: Map<string, ItemDocument>;
  hidden: Map<string, string>;
  /** Key and value of each record that must be a dead letter, as `letterText` writes them. */
  poison: string[];
  skipped: number;
}

/** The oracle: all records at once, each listing's events folded in one go, with no engine between. */
export function modelOf(records: readonly Published[]): Model {
  const events = new Map<string, ListingEvent[]>();
  const model: Model = { items: new Map(), hidden: new Map(), poison: [], skipped: 0 };
  for (const { key, value, headers } of records) {
    const decoded = decodeRecord({ key: toBuffer(key), value: toBuffer(value), ...(headers && { headers }) });
    if (decoded.outcome === 'refused') model.poison.push(letterText(toBuffer(key), toBuffer(value)));
    else if (decoded.outcome === 'skipped') model.skipped++;
    else events.set(decoded.event.id, [...(events.get(decoded.event.id) ?? []), decoded.event]);
  }
  for (const [id, all] of events) {
    const derived = deriveItem(id, fold(EMPTY_STATE, all));
    if (derived.item) model.items.set(id, derived.item);
    else model.hidden.set(id, derived.hidden);
  }
  return model;
}

/** A record's key and value as one text, different for different bytes. */
export const letterText = (key: Buffer | null, value: Buffer | null): string =>
  `${key?.toString('base64') ?? 'null'} ${value ? createHash('sha256').update(value).digest('hex') : 'null'}`;

const toBuffer = (part: string | Buffer | null): Buffer | null => (typeof part === 'string' ? Buffer.from(part) : part);
