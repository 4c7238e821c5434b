import { createHash } from 'node:crypto';
import type { Place } from './feed-order.ts';
import type { FeedCriteria } from './feed-request.ts';

/** Raised when an older cursor could not be read any more; it is then refused like any other malformed one. */
const VERSION = 1;
const FINGERPRINT_LENGTH = 12;

/** The `nextCursor` that goes on behind `place`: a position in the order, so it needs nothing of the index that it came from. */
export function encodeCursor(criteria: FeedCriteria, { key, id }: Place): string {
  return write([VERSION, fingerprint(criteria), key, id]);
}

/** Why a cursor is refused. */
export type CursorFault = 'malformed' | 'of another feed, filter or order';

/** The place that `cursor` goes on behind, or why it cannot go on for these `criteria`. */
export function decodeCursor(criteria: FeedCriteria, cursor: string): Place | CursorFault {
  const parts = read(cursor);
  if (!Array.isArray(parts) || parts.length !== 4 || parts[0] !== VERSION || write(parts) !== cursor) return 'malformed';
  const [, print, key, id] = parts as unknown[];
  if (typeof id !== 'string' || !id.isWellFormed() || !isKey(key) || typeof print !== 'string') return 'malformed';
  if (print !== fingerprint(criteria)) return 'of another feed, filter or order';
  // Newest first has whole milliseconds and no item without them; a distance is never negative.
  if (criteria.point ? key !== null && key < 0 : !Number.isSafeInteger(key)) return 'malformed';
  return { key, id };
}

const isKey = (key: unknown): key is Place['key'] => key === null || (typeof key === 'number' && Number.isFinite(key));

const write = (parts: unknown[]): string => Buffer.from(JSON.stringify(parts)).toString('base64url');

function read(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}

/** Equal for requests that show the same items in the same order; the size of the pages is free to change. */
function fingerprint({ feed, adType, city, category, sub_category, date, dateTo, point, localOnly }: FeedCriteria): string {
  const same = [feed, adType, city, category, sub_category, date, dateTo, point?.lat, point?.lon, localOnly].map((value) => value ?? null);
  return createHash('sha256').update(JSON.stringify(same)).digest('base64url').slice(0, FINGERPRINT_LENGTH);
}
