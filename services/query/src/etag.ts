import { createHash } from 'node:crypto';

/**
 * A weak entity tag of `content`, given in pieces: equal for equal content, in every process and every encoding.
 * RFC 9110 §8.8.3.
 */
export function weakEtag(...content: (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const piece of content) hash.update(piece);
  return `W/"${hash.digest('base64url')}"`;
}
