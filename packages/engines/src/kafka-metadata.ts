/**
 * The readiness probe needs only one Kafka request: Metadata version 4 without topics. A client library would
 * log and retry, and kafkajs on Node 24 would also warn about its timers.
 */
const METADATA = 3;
const VERSION = 4;
const CLIENT = 'vitrine-engines';

/** Returns a complete request frame with its size prefix. */
export function encodeMetadataRequest(correlation: number): Buffer {
  const frame = Buffer.alloc(4 + 2 + 2 + 4 + 2 + CLIENT.length + 4 + 1);
  let at = frame.writeInt32BE(frame.length - 4);
  at = frame.writeInt16BE(METADATA, at);
  at = frame.writeInt16BE(VERSION, at);
  at = frame.writeInt32BE(correlation, at);
  at = frame.writeInt16BE(CLIENT.length, at);
  at += frame.write(CLIENT, at, 'latin1');
  frame.writeInt32BE(0, at); // no topics, no automatic creation
  return frame;
}

export interface ClusterMetadata {
  readonly brokers: readonly number[];
  /** The id of the active controller, or -1 if there is none. */
  readonly controller: number;
}

/**
 * Parses a response frame. Returns undefined while the frame is incomplete. @throws RangeError for other
 * bytes
 */
export function decodeMetadataResponse(frame: Buffer): ClusterMetadata | undefined {
  if (frame.length < 4 || frame.length < 4 + frame.readInt32BE(0)) return undefined;
  let at = 4 + 4 + 4; // size, correlation, throttle time
  const int32 = (): number => {
    at += 4;
    return frame.readInt32BE(at - 4);
  };
  const skipString = (): void => {
    const length = frame.readInt16BE(at);
    at += 2 + Math.max(length, 0); // -1 is null
  };
  const brokers: number[] = [];
  for (let left = int32(); left > 0; left -= 1) {
    brokers.push(int32());
    skipString(); // host
    int32(); // port
    skipString(); // rack
  }
  skipString(); // cluster id
  return { brokers, controller: int32() };
}
