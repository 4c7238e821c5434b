import { createHash } from 'node:crypto';
import { canonicalJson } from '@vitrine/listing';

/** Computes a hash that is equal for equal JSON values, regardless of the order of their members. */
export const contentHash = (value: unknown): string =>
  createHash('sha256').update(canonicalJson(value)).digest('base64');
