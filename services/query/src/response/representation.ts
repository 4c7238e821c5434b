import { createHash } from 'node:crypto';
import type { FeedResponse } from '../contract/feed-schema.ts';
import type { FeedContent } from './feed-response.ts';

/**
 * The body and headers of a page. Body and headers do not depend on the client or the spelling of the
 * request, so the page can be cached.
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
  const complete: FeedResponse['meta'] = { ...meta, generatedAt: generatedAt.toISOString() };
  const items = [BEGIN, ...data.flatMap((pieces, i) => (i === 0 ? pieces : [COMMA, ...pieces])), META];
  const itemsLength = items.reduce((sum, { length }) => sum + length, 0);
  const body = Buffer.concat([...items, Buffer.from(JSON.stringify(complete)), END]);
  return {
    body,
    etag: weakEtag(body.subarray(0, itemsLength), JSON.stringify(meta)),
    ...(link !== undefined && { link }),
  };
}

/**
 * Computes the weak entity tag of `content`, which consists of pieces. Equal content has the same tag in
 * every process and every content encoding. RFC 9110 §8.8.3.
 */
export function weakEtag(...content: (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const piece of content) hash.update(piece);
  return `W/"${hash.digest('base64url')}"`;
}
