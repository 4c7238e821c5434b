import { hash } from 'node:crypto';
import type { FeedResponse } from '../contract/feed-schema.ts';
import type { FeedContent } from './feed-response.ts';

/**
 * The body and headers of a page. They do not depend on the client or the spelling of the request, so the
 * page can be cached.
 */
export interface Representation {
  body: Buffer;
  /** The default is JSON. */
  contentType?: string;
  etag: string;
  /** The Link header's value, if any (RFC 8288). */
  link?: string;
  /** Replaces the Cache-Control value of the page's route. */
  cacheControl?: string;
}

const [BEGIN, COMMA, META, END] = ['{"data":[', ',', '],"meta":', '}'].map((text) => Buffer.from(text)) as [
  Buffer,
  Buffer,
  Buffer,
  Buffer,
];

/**
 * Serializes a FeedResponse. The entity tag does not include `generatedAt`, so equal content has the same tag
 * at any time and in any process (RFC 9110 §8.8.1).
 */
export function represent({ data, meta }: FeedContent, generatedAt: Date, link?: string): Representation {
  const generated: Pick<FeedResponse['meta'], 'generatedAt'> = { generatedAt: generatedAt.toISOString() };
  const [tagged, last] = [Buffer.from(JSON.stringify(meta)), Buffer.from(JSON.stringify(generated))];
  // Once the tag of the preceding bytes is known, the last member replaces the closing brace of `meta`.
  last[0] = COMMA[0] as number;
  const pieces = [BEGIN];
  for (const item of data) {
    if (pieces.length > 1) pieces.push(COMMA);
    for (const piece of item) pieces.push(piece);
  }
  pieces.push(META, tagged, last.subarray(1), END);
  const body = Buffer.concat(pieces);
  const taggedEnd = body.length - last.length - END.length + 1;
  const etag = weakEtag(body.subarray(0, taggedEnd));
  last.copy(body, taggedEnd - 1);
  return { body, etag, ...(link !== undefined && { link }) };
}

/**
 * Computes the weak entity tag of `content`. Equal content has the same tag in every process and every
 * content encoding. RFC 9110 §8.8.3.
 */
export const weakEtag = (content: string | Buffer): string => `W/"${hash('sha256', content, 'base64url')}"`;
