import { weakEtag } from './etag.ts';
import type { FeedContent } from './feed-response.ts';
import type { FeedResponse } from './feed-schema.ts';

/** What a feed answers, whoever asks and however the request was spelled: safe to keep and to serve again. */
export interface Representation {
  body: Buffer;
  /** JSON by default. */
  contentType?: string;
  etag: string;
  /** The value of the Link header, if any (RFC 8288). */
  link?: string;
}

const [BEGIN, COMMA, META, END] = ['{"data":[', ',', '],"meta":', '}'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer, Buffer];

/**
 * The bytes of a FeedResponse made at `generatedAt`; the entity tag is over its content alone, so
 * that it is the same whenever, and in whichever process, that is (RFC 9110 §8.8.1).
 */
export function represent({ data, meta }: FeedContent, generatedAt: Date, link?: string): Representation {
  const complete: FeedResponse['meta'] = { ...meta, generatedAt: generatedAt.toISOString() };
  const items = [BEGIN, ...data.flatMap((pieces, i) => (i === 0 ? pieces : [COMMA, ...pieces])), META];
  const itemsLength = items.reduce((sum, { length }) => sum + length, 0);
  const body = Buffer.concat([...items, Buffer.from(JSON.stringify(complete)), END]);
  return { body, etag: weakEtag(body.subarray(0, itemsLength), JSON.stringify(meta)), ...(link !== undefined && { link }) };
}
