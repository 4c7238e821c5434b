import { weakEtag } from './etag.ts';
import type { FeedContent } from './feed-response.ts';

export interface Representation {
  body: string;
  etag: string;
}

/** The bytes of a FeedResponse made at `generatedAt`; the entity tag is over its content alone, so that it is the same whenever that is. */
export function represent({ data, meta }: FeedContent, generatedAt: Date): Representation {
  const items = JSON.stringify(data);
  return {
    body: `{"data":${items},"meta":${JSON.stringify({ ...meta, generatedAt: generatedAt.toISOString() })}}`,
    etag: weakEtag(`${JSON.stringify(meta)}${items}`),
  };
}
