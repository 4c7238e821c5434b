import { expect } from 'chai';
import { compareSchemas, type Direction } from './compare-schemas.ts';
import { findingLine } from './finding.ts';
import type { JsonObject } from './flat-schema.ts';

const compare = (direction: Direction, old: unknown, now: unknown, $defs: JsonObject = {}): string[] =>
  compareSchemas({ old: { $defs }, new: { $defs } }, old, now, direction, 'x:').map(findingLine);

const object = (properties: JsonObject, more: JsonObject = {}) => ({ type: 'object', properties, ...more });
const TEXT = { type: 'string' };
const NUMBER = { type: 'number' };

const ID = { type: 'string', pattern: '^[A-Za-z0-9]+$' };

/** A narrower and a wider schema, with the finding if a sender may send values that the receiver rejects. */
const PAIRS: [title: string, narrow: unknown, wide: unknown, finding: RegExp][] = [
  ['a type', TEXT, { type: ['string', 'null'] }, /type/],
  ['integer and number', { type: 'integer' }, NUMBER, /type/],
  ['a missing type', TEXT, {}, /type/],
  ['an enum', { enum: ['a'] }, { enum: ['a', 'b'] }, /values/],
  ['const and enum', { const: 'a' }, { enum: ['a', 'b'] }, /values/],
  ['an enum and any text', { type: 'string', enum: ['a'] }, TEXT, /values/],
  ['maximum', { type: 'number', maximum: 50 }, { type: 'number', maximum: 100 }, /maximum/],
  ['a new maximum', { type: 'number', maximum: 50 }, NUMBER, /maximum/],
  ['minimum', { type: 'number', minimum: 1 }, { type: 'number', minimum: 0 }, /minimum/],
  ['maxLength', { type: 'string', maxLength: 5 }, { type: 'string', maxLength: 6 }, /maxLength/],
  ['minLength', { type: 'string', minLength: 2 }, { type: 'string', minLength: 1 }, /minLength/],
  ['maxItems', { type: 'array', maxItems: 5 }, { type: 'array', maxItems: 6 }, /maxItems/],
  ['minProperties', { type: 'object', minProperties: 1 }, { type: 'object' }, /minProperties/],
  ['pattern', { type: 'string', pattern: '^a' }, TEXT, /pattern/],
  ['format', { type: 'string', format: 'date' }, TEXT, /format/],
  ['an unknown keyword', { type: 'string', contentEncoding: 'base64' }, TEXT, /contentEncoding/],
  ['items', { type: 'array', items: TEXT }, { type: 'array', items: {} }, /x:\[\]: the type/],
  ['a member', object({ a: TEXT }), object({ a: {} }), /x: a: the type/],
  ['a required member', object({ a: TEXT }, { required: ['a'] }), object({ a: TEXT }), /x: a: .* required/],
  [
    'a deep member',
    object({ a: object({ b: TEXT }) }),
    object({ a: object({ b: {} }) }),
    /x: a\.b: the type/,
  ],
  ['a union', { anyOf: [TEXT] }, { anyOf: [TEXT, { type: 'null' }] }, /type/],
  ['oneOf', { oneOf: [{ const: 1 }] }, { oneOf: [{ const: 1 }, { const: 2 }] }, /values/],
  ['a part of allOf', { allOf: [TEXT, { maxLength: 5 }] }, { allOf: [TEXT] }, /maxLength/],
  ['a referenced schema', { $ref: '#/$defs/short' }, { $ref: '#/$defs/long' }, /maxLength/],
  [
    'members beside a reference',
    { $ref: '#/$defs/long', maxLength: 1 },
    { $ref: '#/$defs/long' },
    /maxLength/,
  ],
  [
    'a second pattern beside a reference',
    { $ref: '#/$defs/id', pattern: '^[0-9]+$' },
    { $ref: '#/$defs/id' },
    /pattern "\^/,
  ],
  ['another pattern', { allOf: [ID, { pattern: '^[0-9]+$' }] }, ID, /pattern/],
  ['a second not', { allOf: [{ not: { const: 1 } }, { not: { const: 2 } }] }, { not: { const: 2 } }, /not/],
  ['a second multipleOf', { allOf: [{ multipleOf: 2 }, { multipleOf: 3 }] }, { multipleOf: 3 }, /multipleOf/],
  ['a closed object', object({}, { additionalProperties: false }), object({}), /x: \*: no value is valid/],
  ['other members', object({}, { additionalProperties: TEXT }), object({}), /x: \*: the type/],
];
const DEFS = {
  id: ID,
  short: { type: 'string', maxLength: 5 },
  long: { type: 'string', maxLength: 9 },
};

describe('comparison of schemas', () => {
  for (const [title, narrow, wide, finding] of PAIRS) {
    it(`of an input: ${title} may become wider, but not narrower`, () => {
      expect(compare('input', narrow, wide, DEFS)).to.deep.equal([]);
      expect(compare('input', wide, narrow, DEFS))
        .to.have.lengthOf(1)
        .and.to.match(finding);
    });
    it(`of an output: ${title} may become narrower, but not wider`, () => {
      expect(compare('output', wide, narrow, DEFS)).to.deep.equal([]);
      expect(compare('output', narrow, wide, DEFS))
        .to.have.lengthOf(1)
        .and.to.match(finding);
    });
    it(`finds no difference in the same schema: ${title}`, () => {
      for (const direction of ['input', 'output'] as const)
        for (const one of [narrow, wide])
          expect(compare(direction, one, structuredClone(one), DEFS)).to.deep.equal([]);
    });
  }

  for (const direction of ['input', 'output'] as const) {
    it(`compares members beside a reference of an ${direction} to the schema around it`, () => {
      const tree = (...required: string[]) =>
        object({ child: { $ref: '#/$defs/tree', required }, a: TEXT }, { required: ['child'] });
      const root = { $ref: '#/$defs/tree', required: ['a'] };
      const find = (one: unknown, other: unknown) =>
        compareSchemas(
          { old: { $defs: { tree: one } }, new: { $defs: { tree: other } } },
          root,
          root,
          direction,
          'x:',
        ).map(findingLine);
      const [loose, strict] = [tree(), tree('a')];
      expect(direction === 'input' ? find(loose, strict) : find(strict, loose))
        .to.have.lengthOf(1)
        .and.to.match(/x: child\.a: the member is .* required/);
      expect(direction === 'input' ? find(strict, loose) : find(loose, strict)).to.deep.equal([]);
    });
    it(`finds a removed member of an ${direction}, at any depth`, () => {
      const deep = (properties: JsonObject) => object({ list: { type: 'array', items: object(properties) } });
      expect(compare(direction, deep({ a: TEXT, b: TEXT }), deep({ a: TEXT }))).to.deep.equal([
        'x: list[].b: the member was removed',
      ]);
    });
    it(`accepts a new optional member of an ${direction}`, () =>
      expect(compare(direction, object({ a: TEXT }), object({ a: TEXT, b: NUMBER }))).to.deep.equal([]));
    it(`accepts another text for people in an ${direction}`, () => {
      const old = { ...TEXT, title: 'a', description: 'b', examples: [1], deprecated: false, 'x-note': 1 };
      expect(compare(direction, old, { ...TEXT, description: 'c', deprecated: true })).to.deep.equal([]);
    });
    it(`accepts the same types of an ${direction} in another form`, () => {
      const union = { anyOf: [TEXT, { type: 'null' }] };
      const list = { type: ['null', 'string'] };
      expect(compare(direction, union, list)).to.deep.equal([]);
      expect(compare(direction, list, union)).to.deep.equal([]);
    });
    it(`ends on a schema of an ${direction} that contains itself, and compares it`, () => {
      const tree = (more: JsonObject) => ({ ...object({ child: { $ref: '#/$defs/tree' }, ...more }) });
      const find = (now: JsonObject) =>
        compareSchemas(
          { old: { $defs: { tree: tree({ a: TEXT }) } }, new: { $defs: { tree: now } } },
          { $ref: '#/$defs/tree' },
          { $ref: '#/$defs/tree' },
          direction,
          'x:',
        ).map(findingLine);
      expect(find(tree({ a: TEXT }))).to.deep.equal([]);
      expect(find(tree({}))).to.deep.equal(['x: a: the member was removed']);
    });
  }

  it('finds a new member of an output that allowed no other members', () => {
    const closed = (properties: JsonObject) => object(properties, { additionalProperties: false });
    expect(compare('output', closed({}), closed({ a: TEXT }))).to.have.lengthOf(1);
    expect(compare('input', closed({}), closed({ a: TEXT }))).to.deep.equal([]);
  });

  it('finds a changed default of an input, because it changes what a request without the value means', () => {
    expect(compare('input', { default: 20 }, { default: 50 })).to.deep.equal(['x:: default 20 is now 50']);
    const two = { allOf: [{ default: 20 }, { default: 50 }] };
    expect(compare('input', { default: 20 }, two)).to.deep.equal(['x:: default 20 is now 20 and 50']);
    expect(compare('input', { default: 20 }, {})).to.have.lengthOf(1);
    expect(compare('input', {}, { default: 20 })).to.deep.equal([]);
    expect(compare('output', { default: 20 }, { default: 50 })).to.deep.equal([]);
  });

  it('rejects references that lead nowhere or to themselves', () => {
    expect(() => compare('input', { $ref: '#/$defs/gone' }, {})).to.throw('#/$defs/gone does not exist');
    expect(() => compare('input', { $ref: 'other.json#/a' }, {})).to.throw('does not exist');
    expect(() => compare('input', { $ref: '#/$defs/loop' }, {}, { loop: { $ref: '#/$defs/loop' } })).to.throw(
      'leads to itself',
    );
  });
});
