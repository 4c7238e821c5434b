import { expect } from 'chai';
import { Budget } from './budget.ts';
import { UndecodableError } from './format.ts';
import { compileProtobuf } from './protobuf.ts';

const address = {
  name: 'address.proto',
  text: `syntax = "proto3"; package market;
    message Address { string city = 1; double lat = 2; }`,
};
const listing = `syntax = "proto3"; package market;
  import "address.proto";
  import "google/protobuf/timestamp.proto";
  import "google/protobuf/wrappers.proto";
  message Other { string nothing = 1; }
  message Listing {
    enum AdType { UNKNOWN = 0; RENTAL = 1; }
    message Part { message Inner { string text = 1; } Inner inner = 1; }
    string id = 1;
    AdType ad_type = 2;
    int64 version = 3;
    oneof price { double amount = 4; string on_request = 5; }
    repeated string images = 6;
    repeated int32 packed = 7;
    map<string, int64> counts = 8;
    Address address = 9;
    google.protobuf.Timestamp updated = 10;
    google.protobuf.StringValue note = 11;
    optional int32 rooms = 12;
    bytes raw = 13;
    uint64 big = 14;
    Part part = 15;
    bool visible = 16;
  }`;
/** A message that protobuf 7.36.2 for Python wrote. */
const RECORDED =
  '0a036c2d3110011881808080808080102100000000000029403201613201623a0d01feffffffffffffffff01ac0242050a0178' +
  '10054a100a054bc3b66c6e113333333333734940520b08a0e39ad806108094ef3a5a0060006a0200ff70ffffffffffffffffff' +
  '017a080a060a0464656570';

const decode = (schema: string, bytes: string | Buffer, position = [0], references = [address]) =>
  compileProtobuf(schema, references)(
    position,
    typeof bytes === 'string' ? Buffer.from(bytes.replaceAll(' ', ''), 'hex') : bytes,
    new Budget(1_000_000),
  );
const proto3 = (text: string) => `syntax = "proto3"; ${text}`;
const refuses = (schema: string, bytes: string | Buffer, message: RegExp) =>
  expect(() => decode(schema, bytes, [0], [])).to.throw(UndecodableError, message);

describe('compileProtobuf', () => {
  it('decodes the bytes of another encoder, with an imported schema', () =>
    expect(decode(listing, RECORDED, [1])).to.deep.equal({
      id: 'l-1',
      ad_type: 'RENTAL',
      version: 9_007_199_254_740_993n,
      amount: 12.5,
      images: ['a', 'b'],
      packed: [1, -2, 300],
      counts: { x: 5 },
      address: { city: 'Köln', lat: 50.9 },
      updated: '2026-11-25T10:00:00.123456Z',
      note: '',
      rooms: 0,
      raw: Buffer.from([0, 255]),
      big: 2n ** 64n - 1n,
      part: { inner: { text: 'deep' } },
      visible: false,
    }));

  it('gives absent fields their defaults, unless they have presence', () =>
    expect(decode(listing, '', [1])).to.deep.equal({
      id: '',
      ad_type: 'UNKNOWN',
      version: 0,
      images: [],
      packed: [],
      counts: {},
      raw: Buffer.alloc(0),
      big: 0,
      visible: false,
    }));

  it('finds a nested message by its position', () => {
    expect(decode(listing, '0a0464656570', [1, 0, 0])).to.deep.equal({ text: 'deep' });
    expect(decode(listing, '0a0464656570', [0])).to.deep.equal({ nothing: 'deep' });
    for (const position of [[2], [1, 1], [0, 0], [-1], [1, 0, 0, 0]])
      expect(() => decode(listing, '', position)).to.throw(UndecodableError, /no message at position/);
  });

  it('ignores unknown fields, which later versions of the schema add', () =>
    expect(
      decode(proto3('message A { string id = 1; }'), '0a0141 1005 9a0103414243 a50100000000'),
    ).to.deep.equal({
      id: 'A',
    }));
  it('reads a list in packed form and value by value', () => {
    const schema = proto3('message A { repeated int32 n = 1; }');
    expect(decode(schema, '0a020102 0803')).to.deep.equal({ n: [1, 2, 3] });
  });
  it('keeps the last member of a oneof, and adds later occurrences of a message', () => {
    const schema = proto3(
      'message A { oneof o { B b = 1; string s = 2; } } message B { int32 x = 1; repeated int32 y = 2; }',
    );
    expect(decode(schema, '0a020801 120141')).to.deep.equal({ s: 'A' });
    expect(decode(schema, '0a0408011007 0a021008')).to.deep.equal({ b: { x: 1, y: [7, 8] } });
  });
  it('reads proto2 with groups, and an enum value that the schema lacks', () => {
    const schema = `syntax = "proto2"; message A {
      required string id = 1; optional group Place = 2 { optional string city = 3; } optional E e = 4;
      optional int32 n = 5 [default = 7]; } enum E { X = 1; }`;
    expect(decode(schema, '0a0141 13 1a0142 14 2009')).to.deep.equal({ id: 'A', place: { city: 'B' }, e: 9 });
  });
  it("knows the types of Confluent's converter without a reference", () => {
    const schema = proto3(`import "confluent/meta.proto"; import "confluent/type/decimal.proto";
      import "google/type/date.proto";
      message A { confluent.type.Decimal price = 1 [(confluent.field_meta) = { doc: "x" }]; google.type.Date day = 2; }`);
    expect(decode(schema, '0a06 0a0205dc 1802 1207 08ea0f 1007 1801')).to.deep.equal({
      price: '15.00',
      day: '2026-07-01',
    });
  });
  it('gives 64-bit integers exactly', () => {
    const schema = proto3('message A { int64 a = 1; sint64 b = 2; fixed64 c = 3; uint64 d = 4; }');
    expect(
      decode(schema, '08ffffffffffffffffff01 10ffffffffffffffffff01 19ffffffffffffffff 20ffffffffffffff0f'),
    ).to.deep.equal({
      a: -1,
      b: -(2n ** 63n),
      c: 2n ** 64n - 1n,
      d: 2 ** 53 - 1,
    });
  });
  it('sets own members for hostile names, and no prototype', () => {
    const schema = proto3(`message A { string constructor = 2; map<string, B> m = 3; }
      message B { string polluted = 1; }`);
    const value = decode(schema, '120142 1a10 0a095f5f70726f746f5f5f 12030a0143') as { m: object };
    expect(value.constructor).to.equal('B');
    expect(Object.keys(value.m)).to.deep.equal(['__proto__']);
    expect({}).not.to.have.property('polluted');
  });

  it('refuses each truncation inside a field', () => {
    const bytes = Buffer.from(RECORDED, 'hex');
    let refused = 0;
    for (let length = 0; length < bytes.length; length++)
      try {
        decode(listing, bytes.subarray(0, length), [1]);
      } catch (error) {
        expect(error).to.be.instanceOf(UndecodableError);
        refused++;
      }
    // The message may be empty, and may end after each of its 15 values but the last.
    expect(refused).to.equal(bytes.length - 15);
  });

  const tree = proto3('message A { A a = 1; repeated A list = 2; int32 n = 3; }');
  it('stops at the depth limit', () => {
    let bytes = Buffer.alloc(0);
    for (let depth = 0; depth < 150; depth++) {
      const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 127) | 128, bytes.length >> 7];
      bytes = Buffer.concat([Buffer.of(0x0a, ...length), bytes]);
    }
    refuses(tree, bytes, /nested more than 100 levels deep/);
    refuses(tree, Buffer.alloc(10_000, 0x23), /not a valid A message/);
  });
  it('stops at the limit of values, because an empty message costs two bytes', () =>
    refuses(tree, Buffer.alloc(1_000_000, Buffer.of(0x12, 0)), /more than 250000 values/));
  it('counts the defaults of each empty message', () => {
    const fields = Array.from({ length: 1_000 }, (_, index) => `int32 f${index} = ${index + 2};`).join('');
    const schema = proto3(`message A { repeated B list = 1; } message B { ${fields} }`);
    refuses(schema, Buffer.alloc(1_000, Buffer.of(0x0a, 0)), /more than \d+ values/);
  });
  for (const [title, bytes] of [
    ['a field number of 0', '00'],
    ['an end of a group that nothing began', '0c'],
    ['text that is not UTF-8', '0a01ff'],
    ['a length beyond the end', '0affffffff07'],
    ['a tag of more than 32 bits', 'ffffffffffff01'],
  ] as const)
    it(`refuses ${title}`, () =>
      refuses(proto3('message A { string id = 1; }'), bytes, /not a valid A message/));
  it('refuses a decimal with a hostile scale', () => {
    const schema = proto3(
      'import "confluent/type/decimal.proto"; message A { confluent.type.Decimal d = 1; }',
    );
    refuses(schema, '0a08 0a0101 18ffffff7f', /scale/);
  });

  for (const [title, schema] of [
    ['no Protobuf', '{"type":"string"}'],
    ['not complete', 'message A {'],
    ['using an unknown type', proto3('message A { B b = 1; }')],
    ['importing an unknown file that it needs', proto3('import "b.proto"; message A { b.B b = 1; }')],
    ['nested 10,000 deep', 'message A {'.repeat(10_000) + '}'.repeat(10_000)],
    ['defining a message twice', proto3('message A {} message A {}')],
    ['with 2,001 fields', proto3(`message A { ${'int32 a = 1;'.repeat(2_001)} }`)],
    ['with an option of 10,001 parts', proto3(`option (a) = {${' a:1'.repeat(10_001)} };`)],
    ['with a string of escapes that does not end', proto3(`option a = ${'"\\'.repeat(201)}`)],
    ['of more than 512 KiB', proto3(`message A {} ${' '.repeat(512 * 1024)}`)],
    ['naming a type __proto__', proto3('message A { __proto__ b = 1; }')],
  ] as const)
    it(`refuses a schema that is ${title}`, () => refuses(schema, '', /schema (is invalid|has more than)/));
});
