import { expect } from 'chai';
import fc from 'fast-check';
import { eachElement, eachMember, skipValue } from './json-slices.ts';

describe('JSON slices', () => {
  const members = (json: Buffer) => {
    const found: [string, unknown][] = [];
    const end = eachMember(json, 0, (name, start) => {
      const [value, after] = valueAt(json, start);
      found.push([JSON.parse(`"${Buffer.from(name, 'latin1')}"`) as string, value]);
      return after;
    });
    expect(end).to.equal(json.length);
    return found;
  };
  const elements = (json: Buffer) => {
    const found: unknown[] = [];
    const end = eachElement(json, 0, (start) => {
      const [value, after] = valueAt(json, start);
      found.push(value);
      return after;
    });
    expect(end).to.equal(json.length);
    return found;
  };
  const valueAt = (json: Buffer, start: number): [unknown, number] => {
    const end = skipValue(json, start);
    return [JSON.parse(json.toString('utf8', start, end)), end];
  };
  const anyJson = fc.jsonValue({ stringUnit: 'binary' });

  it('finds every member of every object, with any spaces', () =>
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'binary' }), anyJson),
        fc.constantFrom(undefined, 2, '\t'),
        (object, space) => {
          expect(members(Buffer.from(JSON.stringify(object, null, space)))).to.deep.equal(
            Object.entries(JSON.parse(JSON.stringify(object)) as object),
          );
        },
      ),
    ));

  it('finds every element of every array', () =>
    fc.assert(
      fc.property(fc.array(anyJson), fc.constantFrom(undefined, 2), (array, space) => {
        expect(elements(Buffer.from(JSON.stringify(array, null, space)))).to.deep.equal(
          JSON.parse(JSON.stringify(array)),
        );
      }),
    ));

  it('finds the end of long strings, with any escapes anywhere', () =>
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('"', '\\', 'a', 'long text without quotes '), {
          minLength: 10,
          maxLength: 60,
        }),
        (parts) => {
          const object = { [parts.join('')]: parts.join(''), b: parts.toReversed().join('') };
          expect(members(Buffer.from(JSON.stringify(object)))).to.deep.equal(Object.entries(object));
        },
      ),
    ));

  it('searches a text full of quotes a few times only, because each search has a cost', () => {
    const text = JSON.stringify('"'.repeat(100_000));
    let searches = 0;
    const json = Object.assign(Buffer.from(text), {
      indexOf: (...given: Parameters<Buffer['indexOf']>) => {
        searches++;
        return Buffer.prototype.indexOf.apply(json, given);
      },
    });
    expect(skipValue(json, 0)).to.equal(text.length);
    expect(searches).to.be.below(20);
  });

  it('is not misled by the content of strings', () =>
    expect(members(Buffer.from(String.raw`{"a":"}\"]\\","b":{"c":["\\\"{"]},"d":"\\"}`))).to.deep.equal([
      ['a', '}"]\\'],
      ['b', { c: ['\\"{'] }],
      ['d', '\\'],
    ]));

  for (const broken of [
    '',
    '[',
    '{',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1 2}',
    '{"a":"',
    '{"a":[}',
    '{a:1}',
    '{"a":"\\',
  ])
    it(`throws at ${broken}`, () => expect(() => members(Buffer.from(broken))).to.throw());
});
