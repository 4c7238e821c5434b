/** A frame of Docker's log: the stream in the first byte, and the size in the last four bytes of the header. */
const HEADER_BYTES = 8;

/** Returns the text of a log in Docker's format, which puts a header before each piece of output. */
export function textOfLog(frames: Buffer): string {
  const pieces: Buffer[] = [];
  for (let at = 0; at + HEADER_BYTES <= frames.length; ) {
    const begin = at + HEADER_BYTES;
    at = begin + frames.readUInt32BE(at + 4);
    pieces.push(frames.subarray(begin, at));
  }
  return Buffer.concat(pieces).toString('utf8');
}
