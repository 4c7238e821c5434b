import { expect } from 'chai';
import { jsonFaultAt, valueAt } from './json-positions.ts';
import { recordFault } from './record-fault.ts';

const faultOf = (value: string | Buffer, reason: string, detail = '', isData = false) => {
  const bytes = Buffer.from(value as string);
  const fault = recordFault(bytes, { reason, detail }, isData);
  return fault && bytes.subarray(fault.from, fault.to).toString('latin1');
};

describe('the fault in a record', () => {
  for (const [text, at] of [
    ['{', 1],
    ['{"a":}', 5],
    ['{"a":1,}', 7],
    ['[1 2]', 3],
    ['{"a":01}', 6],
    ['"\n"', 1],
    ['', 0],
    ['{"a":"b', 7],
    [`{"a":"' in JSON at position 2 (line 1 column 3)"}}`, 49],
    ['{} x', 3],
    ['\ufeff{}', 0],
  ] as const)
    it(`in ${JSON.stringify(text)} is at ${at}`, () => {
      expect(() => JSON.parse(text)).to.throw();
      expect(jsonFaultAt(text)).to.equal(at);
    });

  for (const text of ['{"a":[1,{"b":"\\u00e9\\n"}],"c":-1.5e3}', ' [ ] ', 'null', '"x"'])
    it(`is absent in ${text}`, () => {
      JSON.parse(text);
      expect(jsonFaultAt(text)).to.equal(undefined);
    });

  it('of a text that ends too early is its last character, at the position that the detail names', () => {
    // The detail counts 348 characters, which have 350 bytes.
    const text = `{"a":"${'x'.repeat(337)}é","é`;
    expect([text.length, Buffer.byteLength(text)]).to.deep.equal([348, 350]);
    expect(recordFault(Buffer.from(text), { reason: 'not-json', detail: '' }, false)).to.deep.equal({
      from: 348,
      to: 350,
      character: 348,
      isEnd: true,
    });
    expect(recordFault(Buffer.from('["🏡'), { reason: 'not-json', detail: '' }, false)).to.include({
      from: 2,
      to: 6,
    });
    expect(recordFault(Buffer.from(''), { reason: 'not-json', detail: '' }, false)).to.equal(undefined);
  });

  it('of the schema is the value that the detail names', () => {
    const event = '{"type":"é","data":{"changes":{"price":"5","a/b":[{"c":7}]}}}';
    expect(faultOf(event, 'schema', '/data/changes/price must be number')).to.equal('"5"');
    expect(faultOf(event, 'schema', '/data/changes/a~1b/0/c must be string')).to.equal('7');
    expect(faultOf(event, 'schema', '/nothing/here must be string')).to.equal(undefined);
    expect(valueAt(event, '')).to.deep.equal({ from: 0, to: event.length });
  });

  it('of the schema in binary mode is in the data', () => {
    const data = '{"version":"x"}';
    expect(faultOf(data, 'schema', '/data/version must be integer', true)).to.equal('"x"');
    expect(faultOf(data, 'schema', '/time must match format', true)).to.equal(undefined);
  });

  it('of bytes that are not UTF-8 is the first invalid byte', () => {
    const bytes = Buffer.concat([Buffer.from('{"é":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]);
    expect(recordFault(bytes, { reason: 'not-utf8', detail: '' }, false)).to.deep.equal({ from: 7, to: 8 });
    expect(faultOf(Buffer.from([0x61, 0xe2, 0x82]), 'not-utf8')).to.equal('\xe2');
  });

  it('of another subject is the subject', () =>
    expect(faultOf('{"subject":"b"}', 'key-mismatch')).to.equal('"b"'));

  it('of a version that is too high is the version', () => {
    expect(faultOf('{"data":{"version":99}}', 'version-too-high')).to.equal('99');
    expect(faultOf('{"version":99}', 'version-too-high', '', true)).to.equal('99');
    expect(faultOf('{"data":{"version":99}}', '__proto__')).to.equal(undefined);
  });

  it('of a tombstone has no place', () =>
    expect(recordFault(null, { reason: 'tombstone-without-version', detail: '' }, false)).to.equal(
      undefined,
    ));
});
