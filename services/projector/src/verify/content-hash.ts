import { createHash } from 'node:crypto';
import { canonicalJson } from '../canonical-json.ts';

/** A text that is the same for equal JSON values whatever the order of their members, and for no others. */
export const contentHash = (value: unknown): string => createHash('sha256').update(canonicalJson(value)).digest('base64');
