import { expect } from 'chai';
import { decodeMetadataResponse, encodeMetadataRequest } from './kafka-metadata.ts';

function response(brokers: readonly number[], controller: number): Buffer {
  const int32 = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(value);
    return bytes;
  };
  const text = (value: string): Buffer => Buffer.concat([Buffer.from([0, value.length]), Buffer.from(value)]);
  const none = Buffer.from([0xff, 0xff]);
  const body = Buffer.concat([
    int32(1),
    int32(0),
    int32(brokers.length),
    ...brokers.flatMap((id) => [int32(id), text('127.0.0.1'), int32(9092), none]),
    text('cluster'),
    int32(controller),
    int32(0),
  ]);
  return Buffer.concat([int32(body.length), body]);
}

describe('the metadata request to Kafka', () => {
  it('is a frame with its size', () => {
    const frame = encodeMetadataRequest(7);
    expect(frame.readInt32BE(0)).to.equal(frame.length - 4);
    expect([frame.readInt16BE(4), frame.readInt16BE(6), frame.readInt32BE(8)]).to.deep.equal([3, 4, 7]);
  });

  it('returns the brokers and the controller', () => {
    expect(decodeMetadataResponse(response([1, 2], 2))).to.deep.equal({ brokers: [1, 2], controller: 2 });
    expect(decodeMetadataResponse(response([], -1))).to.deep.equal({ brokers: [], controller: -1 });
  });

  it('waits for the rest of an incomplete frame', () => {
    const frame = response([1], 1);
    for (const length of [0, 3, 20, frame.length - 1])
      expect(decodeMetadataResponse(frame.subarray(0, length))).to.equal(undefined);
  });

  it('refuses bytes of another protocol', () => {
    expect(() => decodeMetadataResponse(Buffer.from('\0\0\0\x14HTTP/1.1 400 Bad Req..'))).to.throw(
      RangeError,
    );
  });
});
