import { expect } from 'chai';
import { decodeContent } from './decode-content.ts';
import { jsonDecoder } from './formats/json.ts';

const record = (value: string | null) => ({
  topic: 'source',
  partition: 0,
  offset: '0',
  timestamp: 0,
  key: Buffer.from('a'),
  value: value === null ? null : Buffer.from(value),
});

describe('decodeContent', () => {
  it('gives only a tombstone the value null, because null removes a listing', () => {
    expect(decodeContent(jsonDecoder, record(null))).to.deep.equal({ key: 'a', value: null });
    expect(decodeContent(jsonDecoder, record('{}'))).to.deep.equal({ key: 'a', value: {} });
    expect(decodeContent(jsonDecoder, record('null'))).to.deep.equal({
      undecodable: 'the value is null, but the record is not a tombstone',
    });
  });
});
