import { encode } from './compression.ts';
import type { ContentEncoding } from './content-encoding.ts';

/** Encodes content. @returns undefined if the caller must send the content unencoded */
export type Encoder = (content: Buffer, encoding: ContentEncoding) => Promise<Buffer> | undefined;

/**
 * Creates an encoder that limits the total size of the bodies being encoded to `maxBytes`. Encoding a page
 * takes longer than building it, so without a limit, pages would accumulate in memory while they wait for the
 * thread pool.
 */
export function boundedEncoder(maxBytes: number, encoder: typeof encode = encode): Encoder {
  let inProgress = 0;
  return (content, encoding) => {
    if (inProgress > 0 && inProgress + content.length > maxBytes) return undefined;
    inProgress += content.length;
    const encoded = encoder(content, encoding);
    const ended = () => {
      inProgress -= content.length;
    };
    encoded.then(ended, ended);
    return encoded;
  };
}
