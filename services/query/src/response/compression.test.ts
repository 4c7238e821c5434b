import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { expect } from 'chai';
import { encode } from './content-encoding.ts';

const DECODERS = { br: brotliDecompressSync, gzip: gunzipSync, zstd: zstdDecompressSync };

describe('an encoded body', () => {
  for (const encoding of ['br', 'gzip', 'zstd'] as const)
    it(`occupies only the memory of its bytes (${encoding})`, async () => {
      // Small results fit into one chunk of the library, and large ones need several.
      for (const length of [2_000, 40_000, 400_000]) {
        const content = Buffer.from(Array.from({ length }, (_, i) => 32 + ((i * i) % 89)));
        const encoded = await encode(content, encoding);
        expect(encoded.buffer.byteLength, `${length} bytes`).to.equal(encoded.length);
        expect(DECODERS[encoding](encoded)).to.deep.equal(content);
      }
    });
});
