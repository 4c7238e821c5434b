/**
 * The one request of Kafka's protocol that readiness needs, version 4 of Metadata, without topics. A client library would
 * do, but it logs, retries and (kafkajs on Node 24) warns about its own timers.
 */
const METADATA = 3;
const VERSION = 4;
const CLIENT = 'vitrine-engines';

/** A whole request frame, its size in front. */
export function encodeMetadataRequest(correlation: number): Buffer {
  const frame = Buffer.alloc(4 + 2 + 2 + 4 + 2 + CLIENT.length + 4 + 1);
  let at = frame.writeInt32BE(frame.length - 4);
  at = frame.writeInt16BE(METADATA, at);
  at = frame.writeInt16BE(VERSION, at);
  at = frame.writeInt32BE(correlation, at);
  at = frame.writeInt16BE(CLIENT.length, at);
  at += frame.write(CLIENT, at, 'latin1');
  frame.writeInt32BE(0, at); // no topics, and none to be created
  return frame;
}

export interface ClusterMetadata {
  readonly brokers: readonly number[];
  /** -1 while nobody leads. */
  readonly controller: number;
}

/** Reads a response frame; undefined while it is not complete. Throws a RangeError on bytes of another kind. */
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
