import { createHash } from 'node:crypto';

/** A weak entity tag of `content`: equal for equal content, on every process. RFC 9110 §8.8.3. */
export const weakEtag = (content: string): string => `W/"${createHash('sha256').update(content).digest('base64url')}"`;

/** Whether an If-None-Match header names `etag`, by weak comparison. RFC 9110 §13.1.2. */
export function namesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  const named: string[] = header.match(/"[^"]*"/g) ?? [];
  return named.includes(etag.replace(/^W\//, ''));
}
