import { createHash } from 'node:crypto';
import type { FeedCriteria } from './criteria.ts';
import type { SortPosition } from './sort-position.ts';

/** Format version of cursors. A cursor of another version is refused as malformed. */
const VERSION = 1;
const FINGERPRINT_LENGTH = 12;

/**
 * The `nextCursor` of a page that ends at `position`. The cursor is a position in the order, so it is valid
 * in any state of the index.
 */
export function encodeCursor(criteria: FeedCriteria, { key, id }: SortPosition): string {
  return write([VERSION, fingerprint(criteria), key, id]);
}

/** The reason why a cursor is refused. */
export type CursorError = 'malformed' | 'of another feed, filter or order';

/**
 * The position after which the page of `cursor` begins, or the reason why `cursor` is not valid for
 * `criteria`.
 */
export function decodeCursor(criteria: FeedCriteria, cursor: string): SortPosition | CursorError {
  const parts = read(cursor);
  if (!Array.isArray(parts) || parts.length !== 4 || parts[0] !== VERSION || write(parts) !== cursor)
    return 'malformed';
  const [, print, key, id] = parts as unknown[];
  if (typeof id !== 'string' || !id.isWellFormed() || !isKey(key) || typeof print !== 'string')
    return 'malformed';
  if (print !== fingerprint(criteria)) return 'of another feed, filter or order';
  // Newest first: the key is a whole number of milliseconds, never null. Nearest first: a distance is never
  // negative.
  if (criteria.point ? key !== null && key < 0 : !Number.isSafeInteger(key)) return 'malformed';
  return { key, id };
}

const isKey = (key: unknown): key is SortPosition['key'] =>
  key === null || (typeof key === 'number' && Number.isFinite(key));

const write = (parts: unknown[]): string => Buffer.from(JSON.stringify(parts)).toString('base64url');

function read(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}

/** Equal for requests for the same items in the same order. The page size may change between pages. */
function fingerprint({
  feed,
  adType,
  city,
  category,
  sub_category,
  date,
  dateTo,
  point,
  localOnly,
}: FeedCriteria): string {
  const same = [
    feed,
    adType,
    city,
    category,
    sub_category,
    date,
    dateTo,
    point?.lat,
    point?.lon,
    localOnly,
  ].map((value) => value ?? null);
  return createHash('sha256').update(JSON.stringify(same)).digest('base64url').slice(0, FINGERPRINT_LENGTH);
}
