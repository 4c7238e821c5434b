import avsc from 'avsc';
import { expect } from 'chai';
import fc from 'fast-check';
import { compileAvro } from './avro.ts';
import { ByteInput } from './byte-input.ts';
import { UndecodableError } from './format.ts';

const address = {
  type: 'record',
  name: 'Address',
  namespace: 'market',
  fields: [
    { name: 'city', type: 'string' },
    { name: 'lat', type: ['null', 'double'] },
  ],
};
const decimal = { logicalType: 'decimal', precision: 12 };
const listing = {
  type: 'record',
  name: 'Listing',
  namespace: 'market',
  fields: [
    { name: 'id', type: 'string' },
    { name: 'version', type: 'long' },
    { name: 'small', type: 'long' },
    { name: 'price', type: ['null', { type: 'bytes', ...decimal, scale: 2 }] },
    { name: 'fee', type: { type: 'fixed', name: 'Fee', size: 8, ...decimal, scale: 3 } },
    { name: 'day', type: { type: 'int', logicalType: 'date' } },
    { name: 'created', type: { type: 'long', logicalType: 'timestamp-millis' } },
    { name: 'updated', type: { type: 'long', logicalType: 'timestamp-micros' } },
    { name: 'local', type: { type: 'long', logicalType: 'local-timestamp-micros' } },
    { name: 'kind', type: { type: 'enum', name: 'Kind', symbols: ['RENTAL', 'SALE'] } },
    { name: 'images', type: { type: 'array', items: 'string' } },
    { name: 'counts', type: { type: 'map', values: 'int' } },
    { name: 'address', type: ['null', 'Address'] },
    { name: 'parent', type: ['null', 'Listing'], default: null },
    { name: 'raw', type: 'bytes' },
    { name: 'visible', type: 'boolean' },
    { name: 'rating', type: 'float' },
  ],
};
/** A listing that contains another one, as fastavro 1.13.1 wrote it. */
const RECORDED =
  '066c2d318280808080808020090206fe043a00000000000003edb6c202f6e5aea2c26880a9ccbddcc5b006010204026102620004' +
  '027809125f5f70726f746f5f5f0e00020a4bc3b66c6e0002066c2d318280808080808020090000000000000003edb6c202f6e5ae' +
  'a2c26880a9ccbddcc5b006010204026102620004027809125f5f70726f746f5f5f0e00020a4bc3b66c6e00000400ff0100009040' +
  '0400ff0100009040';

const decode = (schema: unknown, bytes: Buffer, references: unknown[] = []) =>
  compileAvro(
    JSON.stringify(schema),
    references.map((reference) => JSON.stringify(reference)),
  )(new ByteInput(bytes, 0));

/** A long as Avro writes it. */
const long = (value: bigint): Buffer => {
  const bytes: number[] = [];
  let left = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));
  for (; left > 127n; left >>= 7n) bytes.push(Number(left & 127n) | 128);
  return Buffer.from([...bytes, Number(left)]);
};
const refuses = (schema: unknown, bytes: Buffer, message: RegExp) =>
  expect(() => decode(schema, bytes)).to.throw(UndecodableError, message);

describe('compileAvro', () => {
  it('decodes the bytes of another encoder, with logical types and a named type of another schema', () => {
    const inner = {
      id: 'l-1',
      version: 9_007_199_254_740_993n,
      small: -5,
      price: null,
      fee: '1.005',
      day: '2026-07-01',
      created: '2026-11-25T10:00:00.123Z',
      updated: '2026-11-25T10:00:00.123456Z',
      local: '1969-12-31T23:59:59.999999',
      kind: 'SALE',
      images: ['a', 'b'],
      counts: { x: -5, ['__proto__']: 7 },
      address: { city: 'Köln', lat: null },
      parent: null,
      raw: Buffer.from([0, 255]),
      visible: true,
      rating: 4.5,
    };
    const value = decode(listing, Buffer.from(RECORDED, 'hex'), [address]) as typeof inner;
    expect(value).to.deep.equal({ ...inner, price: '-1299.90', parent: inner });
    expect(Object.keys(value.counts)).to.deep.equal(['x', '__proto__']);
    expect({}).not.to.have.property('7');
  });

  it('refuses each truncation of a record, and a byte after it', () => {
    const bytes = Buffer.from(RECORDED, 'hex');
    for (let length = 0; length < bytes.length; length++)
      expect(() => decode(listing, bytes.subarray(0, length), [address])).to.throw(UndecodableError);
    expect(() => decode(listing, Buffer.concat([bytes, Buffer.of(0)]), [address])).to.throw(/1 bytes follow/);
  });

  for (const value of [0n, -1n, 2n ** 53n - 1n, 2n ** 53n, -(2n ** 53n), 2n ** 63n - 1n, -(2n ** 63n)])
    it(`gives the long ${value} exactly`, () => {
      const read = decode('long', long(value)) as number | bigint;
      expect(BigInt(read)).to.equal(value);
      expect(typeof read).to.equal(Number.isSafeInteger(Number(value)) ? 'number' : 'bigint');
    });

  it('keeps the number of a date or time that RFC 3339 cannot express', () => {
    expect(decode({ type: 'int', logicalType: 'date' }, long(2n ** 31n - 1n))).to.equal(2 ** 31 - 1);
    const micros = { type: 'long', logicalType: 'timestamp-micros' };
    expect(decode(micros, long(2n ** 63n - 1n))).to.equal(2n ** 63n - 1n);
  });

  it('keeps the value of an unknown or invalid logical type', () => {
    expect(decode({ type: 'long', logicalType: 'time-micros' }, long(5n))).to.equal(5);
    const bytes = Buffer.of(2, 7);
    expect(decode({ type: 'bytes', logicalType: 'decimal', scale: 1e9 }, bytes)).to.deep.equal(Buffer.of(7));
    expect(decode({ type: 'string', logicalType: 'constructor' }, Buffer.of(2, 65))).to.equal('A');
  });

  it('agrees with avsc on random schemas and values', () =>
    fc.assert(
      fc.property(schemaWithValue, ({ schema, value }) => {
        const bytes = avsc.Type.forSchema(schema as never, { wrapUnions: false }).toBuffer(value);
        expect(decode(schema, bytes)).to.deep.equal(value);
      }),
      { numRuns: 300 },
    ));

  const zeros = { type: 'array', items: 'null' };
  it('stops at the limit of values, because five bytes can announce two billion', () =>
    refuses(zeros, long(2n ** 31n), /more than 20320 values/));
  it('stops at the limit for a count of 63 bits, and for a negative one', () => {
    refuses(zeros, long(2n ** 63n - 1n), /more than \d+ values/);
    refuses(zeros, Buffer.concat([long(-(2n ** 63n)), long(1n)]), /more than \d+ values/);
  });
  it('stops at the limit for small schemas that expand to many values', () => {
    let schema: unknown = 'null';
    for (let level = 0; level < 20; level++) {
      const fields = ['a', 'b', 'c', 'd'].map((name, index) => ({
        name,
        type: index === 0 ? schema : `L${level}`,
      }));
      const leaf = { type: 'record', name: 'L0', fields: [] };
      schema = {
        type: 'record',
        name: `L${level + 1}`,
        fields: level === 0 ? [{ name: 'a', type: leaf }] : fields,
      };
    }
    refuses(schema, Buffer.alloc(0), /more than \d+ values/);
  });
  it('stops at the depth limit, even if no byte follows', () => {
    const endless = { type: 'record', name: 'A', fields: [{ name: 'a', type: 'A' }] };
    refuses(endless, Buffer.alloc(0), /nested more than 100 levels deep/);
    const chain = { type: 'record', name: 'A', fields: [{ name: 'a', type: ['null', 'A'] }] };
    refuses(chain, Buffer.alloc(1_000_000, 2), /nested more than 100 levels deep/);
  });
  it('refuses a decimal that would take seconds to convert', () => {
    const bytes = Buffer.concat([long(1_000_000n), Buffer.alloc(1_000_000, 127)]);
    refuses({ type: 'bytes', logicalType: 'decimal' }, bytes, /more than 128 bytes/);
  });
  for (const [title, schema, bytes, message] of [
    ['an unknown branch', ['null', 'int'], long(2n), /branch 2/],
    ['a negative branch', ['null', 'int'], long(-1n), /branch -1/],
    ['an unknown symbol', { type: 'enum', name: 'E', symbols: ['A'] }, long(1n), /symbol 1/],
    ['an int beyond 32 bits', 'int', long(2n ** 31n), /32 bits/],
    ['a number beyond 64 bits', 'long', Buffer.alloc(11, 255), /64 bits/],
    ['a negative length', 'bytes', long(-1n), /ends before/],
    ['a length of 63 bits', 'string', long(2n ** 62n), /ends before/],
    ['text that is not UTF-8', 'string', Buffer.of(2, 0xff), /UTF-8/],
    ['a boolean of 2', 'boolean', Buffer.of(2), /boolean/],
  ] as const)
    it(`refuses ${title}`, () => refuses(schema, bytes, message));

  const nested = (depth: number): string =>
    `${'{"type":"array","items":'.repeat(depth)}"int"${'}'.repeat(depth)}`;
  for (const [title, schema] of [
    ['no JSON', '{'],
    ['a number', '5'],
    ['an unknown type', '"constructor"'],
    ['a type named __proto__', '"__proto__"'],
    ['a record without fields', '{"type":"record","name":"A"}'],
    ['a record without a name', '{"type":"record","fields":[]}'],
    [
      'a type that is defined twice',
      '[{"type":"fixed","name":"A","size":1},{"type":"fixed","name":"A","size":2}]',
    ],
    ['a name of 1,001 characters', `{"type":"fixed","name":"${'A'.repeat(1_001)}","size":1}`],
    ['a negative size', '{"type":"fixed","name":"A","size":-1}'],
    ['an enum of numbers', '{"type":"enum","name":"A","symbols":[1]}'],
    ['a null field', '{"type":"record","name":"A","fields":[null]}'],
    ['a type nested 100,000 deep', nested(100_000)],
  ] as const)
    it(`refuses a schema that is ${title}`, () =>
      expect(() => compileAvro(schema, [])).to.throw(UndecodableError, /schema/));
});

interface Sample {
  schema: unknown;
  value: unknown;
}
const constant = (schema: string, values: fc.Arbitrary<unknown>): fc.Arbitrary<Sample> =>
  values.map((value) => ({ schema, value }));
const scalar = fc.oneof(
  constant('null', fc.constant(null)),
  constant('boolean', fc.boolean()),
  constant('int', fc.integer()),
  // avsc 5.7.9 writes -4503599627370497 as 4503599627370496.
  constant('long', fc.integer({ min: -(2 ** 52), max: 2 ** 52 })),
  constant('double', fc.double({ noNaN: true })),
  constant('string', fc.string({ unit: 'binary' })),
  constant(
    'bytes',
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  ),
);
let names = 0;
const { schemaWithValue } = fc.letrec<{ schemaWithValue: Sample }>((tie) => {
  const part = tie('schemaWithValue');
  return {
    schemaWithValue: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      scalar,
      fc.tuple(part, fc.nat(5)).map(([{ schema, value }, length]) => ({
        schema: { type: 'array', items: schema },
        value: Array.from({ length }, () => value),
      })),
      fc.tuple(part, fc.uniqueArray(fc.string(), { maxLength: 4 })).map(([{ schema, value }, keys]) => ({
        schema: { type: 'map', values: schema },
        // avsc cannot write a key `__proto__`.
        value: Object.fromEntries(keys.filter((key) => key !== '__proto__').map((key) => [key, value])),
      })),
      fc.array(part, { maxLength: 4 }).map((parts) => ({
        schema: {
          type: 'record',
          name: `R${names++}`,
          fields: parts.map(({ schema }, index) => ({ name: `f${index}`, type: schema })),
        },
        value: Object.fromEntries(parts.map(({ value }, index) => [`f${index}`, value])),
      })),
      fc.boolean().map((first) => ({ schema: ['null', 'string'], value: first ? null : 'text' })),
    ),
  };
});
