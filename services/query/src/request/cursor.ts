import { createHash } from 'node:crypto';
import { FILTERS } from '../filters/index.ts';
import type { FeedCriteria } from './criteria.ts';
import type { SortPosition } from './sort-position.ts';

/** The version of the cursor format. The service rejects a cursor with another version as malformed. */
const VERSION = 1;
const FINGERPRINT_LENGTH = 12;

/**
 * Creates the `nextCursor` of a page that ends at `position`. A cursor is a position in the sort order, so it
 * stays valid when the index changes.
 */
export function encodeCursor(criteria: FeedCriteria, { key, id }: SortPosition): string {
  return write([VERSION, fingerprint(criteria), key, id]);
}

/** The reason why a cursor is rejected. */
export type CursorError = 'malformed' | 'of another feed, filter or order';

/**
 * Returns the position after which the page for `cursor` begins, or the reason why `cursor` is not valid for
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
  return isKeyOf(criteria, key) ? { key, id } : 'malformed';
}

/**
 * Returns whether an item can have this sort key in the order of the request. In some orders, an item may
 * lack a key (null).
 */
function isKeyOf({ sort, point }: FeedCriteria, key: SortPosition['key']): boolean {
  const order = sort ?? (point ? 'distance' : 'newest');
  if (order === 'newest') return Number.isSafeInteger(key);
  return key === null ? order === 'distance' || order === 'rating' : key >= 0;
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

/**
 * Returns the same value for all requests for the same items in the same order. The value does not depend on
 * the page size, which may change between pages.
 */
function fingerprint(criteria: FeedCriteria): string {
  const same: unknown[] = [
    criteria.feed,
    ...FILTERS.flatMap((filter) => filter.firstFingerprint?.(criteria) ?? []),
  ].map((value) => value ?? null);
  // A request without the later filters has the same fingerprint as in releases that did not have them.
  const more = FILTERS.filter((filter) => !filter.firstFingerprint)
    .flatMap(({ members }) => members)
    .filter((member) => criteria[member] !== undefined);
  if (more.length > 0) same.push(Object.fromEntries(more.map((member) => [member, criteria[member]])));
  return createHash('sha256').update(JSON.stringify(same)).digest('base64url').slice(0, FINGERPRINT_LENGTH);
}
