import { expect } from 'chai';
import fc from 'fast-check';
import { eachElement, eachMember, type Slice } from './json-slices.ts';

describe('JSON slices', () => {
  const members = (json: Buffer) => {
    const found: [string, unknown][] = [];
    eachMember(json, 0, (name, value) => found.push([JSON.parse(`"${Buffer.from(name, 'latin1')}"`) as string, parsed(json, value)]));
    return found;
  };
  const elements = (json: Buffer) => {
    const found: unknown[] = [];
    eachElement(json, 0, (value) => found.push(parsed(json, value)));
    return found;
  };
  const parsed = (json: Buffer, { start, end }: Slice): unknown => JSON.parse(json.toString('utf8', start, end));
  const anyJson = fc.jsonValue({ stringUnit: 'binary' });

  it('finds every member of every object, with any spaces', () =>
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), anyJson), fc.constantFrom(undefined, 2, '\t'), (object, space) => {
        expect(members(Buffer.from(JSON.stringify(object, null, space)))).to.deep.equal(Object.entries(JSON.parse(JSON.stringify(object)) as object));
      }),
    ));

  it('finds every element of every array', () =>
    fc.assert(
      fc.property(fc.array(anyJson), fc.constantFrom(undefined, 2), (array, space) => {
        expect(elements(Buffer.from(JSON.stringify(array, null, space)))).to.deep.equal(JSON.parse(JSON.stringify(array)));
      }),
    ));

  it('is not led astray by what is in strings', () =>
    expect(members(Buffer.from(String.raw`{"a":"}\"]\\","b":{"c":["\\\"{"]},"d":"\\"}`))).to.deep.equal([
      ['a', '}"]\\'],
      ['b', { c: ['\\"{'] }],
      ['d', '\\'],
    ]));

  for (const broken of ['', '[', '{', '{"a"', '{"a":', '{"a":1', '{"a":1 2}', '{"a":"', '{"a":[}', '{a:1}', '{"a":"\\'])
    it(`throws at ${broken}`, () => expect(() => members(Buffer.from(broken))).to.throw());
});
