declare module 'lz4js' {
  const lz4: {
    compress(source: Uint8Array): Uint8Array;
    /**
     * Decompresses the block `input[from, from + size)` to `output`, beginning at `at`. Returns the position
     * at which the decompressed data ends, even if `output` is too small for the data.
     */
    decompressBlock(input: Uint8Array, output: Uint8Array, from: number, size: number, at: number): number;
  };
  export default lz4;
}

declare module 'snappyjs' {
  export function compress(source: Uint8Array): Uint8Array;
  export function uncompress(block: Uint8Array): Uint8Array;
}
