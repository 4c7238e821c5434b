import { foldHistory } from './fold.ts';
import { type OracleItem, toItem } from './item.ts';
import { type LogRecord, type OracleEvent, readRecord } from './record.ts';

/** The expected contents of the index and the expected dead letters, derived from the records alone. */
export interface Model {
  items: Map<string, OracleItem>;
  /** Listing id -> the reason why it is hidden. */
  hidden: Map<string, string>;
  deadLetters: LogRecord[];
  skipped: number;
}

/**
 * The oracle: the rules from listing events to feed items, written from the specification alone. It shares no
 * code with the product, so a wrong rule does not appear on both sides of a comparison.
 */
export function modelOf(records: readonly LogRecord[]): Model {
  const model: Model = { items: new Map(), hidden: new Map(), deadLetters: [], skipped: 0 };
  const histories = new Map<string, OracleEvent[]>();
  for (const record of records) {
    const read = readRecord(record);
    if (read === 'dead letter') model.deadLetters.push(record);
    else if (read === 'skipped') model.skipped++;
    else if (histories.get(read.id)?.push(read) === undefined) histories.set(read.id, [read]);
  }
  for (const [id, events] of histories) {
    const item = toItem(id, foldHistory(events));
    if (typeof item === 'string') model.hidden.set(id, item);
    else model.items.set(id, item);
  }
  return model;
}
