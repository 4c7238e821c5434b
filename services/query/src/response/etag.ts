import { createHash } from 'node:crypto';

/**
 * Computes the weak entity tag of `content`, which consists of pieces. Equal content has the same tag in
 * every process and every content encoding. RFC 9110 §8.8.3.
 */
export function weakEtag(...content: (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const piece of content) hash.update(piece);
  return `W/"${hash.digest('base64url')}"`;
}
