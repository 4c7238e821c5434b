import { createHash } from 'node:crypto';

/** RFC 9110 §8.8.3: `etagc` is any visible character but the double quote. */
const ENTITY_TAG = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`;
/** RFC 9110 §5.6.1: a list may have empty elements. */
const TAG_LIST = new RegExp(String.raw`^[ \t]*(?:${ENTITY_TAG})?(?:[ \t]*,[ \t]*(?:${ENTITY_TAG})?)*[ \t]*$`);

/** A weak entity tag of `content`, given in pieces: equal for equal content, on every process and in every coding. RFC 9110 §8.8.3. */
export function weakEtag(...content: (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const piece of content) hash.update(piece);
  return `W/"${hash.digest('base64url')}"`;
}

/**
 * Whether an If-None-Match header names `etag`, by weak comparison; one that is not well-formed names
 * nothing, so that its sender gets the whole answer. RFC 9110 §13.1.2.
 */
export function namesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  if (!TAG_LIST.test(header)) return false;
  const opaque = etag.replace(/^W\//, '');
  return (header.match(/"[^"]*"/g) ?? []).some((named) => named === opaque);
}
