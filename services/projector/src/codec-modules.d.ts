declare module 'lz4js' {
  const lz4: {
    compress(source: Uint8Array): Uint8Array;
    decompressBound(frame: Uint8Array): number;
    /** Returns the length of the whole output, even if `output` is too small for it. */
    decompressFrame(frame: Uint8Array, output: Uint8Array): number;
  };
  export default lz4;
}

declare module 'snappyjs' {
  export function compress(source: Uint8Array): Uint8Array;
  export function uncompress(block: Uint8Array): Uint8Array;
}
