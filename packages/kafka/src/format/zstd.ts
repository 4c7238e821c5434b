import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';

const compress = promisify(zstdCompress);
/** The window for a batch at the consumers' limit, 64 MiB. By default, libzstd decodes up to 128 MiB. */
const MAX_WINDOW_LOG = 26;
const MIN_WINDOW_LOG = 10;

/**
 * Compresses with zstd. The window covers the whole content, so the result is not much larger than the result
 * of another producer with a large window.
 */
export const zstd = (content: Buffer): Promise<Buffer> =>
  compress(content, {
    params: {
      [constants.ZSTD_c_windowLog]: Math.min(
        Math.max(Math.ceil(Math.log2(content.length + 1)), MIN_WINDOW_LOG),
        MAX_WINDOW_LOG,
      ),
      [constants.ZSTD_c_enableLongDistanceMatching]: 1,
    },
  });
