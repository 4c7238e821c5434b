import { expect } from 'chai';
import { decodeMetadataResponse, encodeMetadataRequest } from './metadata.ts';

/** The response from Kafka 4.2 to a request for one topic with two partitions, without the correlation id. */
const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');
const RESPONSE = hex(`
  00 00000000
  02 00000001 0a 3132372e302e302e31 00006449 00 00
  03 6162 00000001
  02 0000 07 6576656e7473 00112233445566778899aabbccddeeff 00
  03 0000 00000000 00000001 00000000 02 00000001 02 00000001 01 00
     0000 00000001 00000001 00000000 02 00000001 02 00000001 01 00
  80000000 00
  00`);

describe('a metadata request with topic ids', () => {
  it('names the topics and creates none', () =>
    expect(encodeMetadataRequest(['events']).toString('hex')).to.equal(
      `00${'02'}${'00'.repeat(16)}07${Buffer.from('events').toString('hex')}00${'00'}${'00'}00`,
    ));

  it('encodes the length of a long name in two bytes', () =>
    expect(
      encodeMetadataRequest(['x'.repeat(249)])
        .subarray(18, 20)
        .toString('hex'),
    ).to.equal('fa01'));

  it("returns the id in the form that Kafka's tools use", () => {
    const { topics, brokers, clusterId, controllerId } = decodeMetadataResponse(RESPONSE);
    expect({ brokers, clusterId, controllerId }).to.deep.equal({
      brokers: [{ nodeId: 1, host: '127.0.0.1', port: 25673, rack: null }],
      clusterId: 'ab',
      controllerId: 1,
    });
    expect(topics).to.have.lengthOf(1);
    expect(topics[0]).to.include({ errorCode: 0, name: 'events', topicId: 'ABEiM0RVZneImaq7zN3u_w' });
    expect(topics[0]?.partitions.map(({ partition, leader }) => [partition, leader])).to.deep.equal([
      [0, 1],
      [1, 1],
    ]);
  });

  it('refuses a response that ends too early', () =>
    expect(() => decodeMetadataResponse(RESPONSE.subarray(0, 60))).to.throw(RangeError));
});
