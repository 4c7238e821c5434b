import { encode } from './compression.ts';
import type { ContentCoding } from './content-coding.ts';

/** @returns undefined where the content is to be sent as it is */
export type Encoder = (content: Buffer, coding: ContentCoding) => Promise<Buffer> | undefined;

/**
 * Encodes while the contents in progress have at most `maxBytes` together. Encoding takes longer than making a page, so
 * without a bound pages would queue in memory for the thread pool.
 */
export function boundedEncoder(maxBytes: number, encoder: typeof encode = encode): Encoder {
  let inProgress = 0;
  return (content, coding) => {
    if (inProgress > 0 && inProgress + content.length > maxBytes) return undefined;
    inProgress += content.length;
    const encoded = encoder(content, coding);
    const ended = () => {
      inProgress -= content.length;
    };
    encoded.then(ended, ended);
    return encoded;
  };
}
