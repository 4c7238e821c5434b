import { expect } from 'chai';
import fc from 'fast-check';
import { EventTexts } from './event-texts.ts';
import { MAX_TEXT_BYTES } from './splitter.ts';

/** The texts of an input that arrives in pieces of this size. */
function split(input: string | Buffer, piece = Number.POSITIVE_INFINITY) {
  const bytes = Buffer.from(input);
  const texts = new EventTexts();
  const found: { at: string; text: string; length: number }[] = [];
  const collect = (more: ReturnType<EventTexts['push']>) => {
    for (const { line, index, bytes: text, length } of more)
      found.push({ at: index === undefined ? `${line}` : `${line}.${index}`, text: String(text), length });
  };
  for (let at = 0; at < bytes.length; at += piece)
    // A file reader reuses its memory.
    collect(texts.push(Buffer.from(bytes.subarray(at, at + piece))));
  collect(texts.end());
  return found;
}
const places = (input: string | Buffer, piece?: number) =>
  split(input, piece).map(({ at, text }) => [at, text]);

describe('the events of a file', () => {
  const forms: [what: string, input: string, expected: [at: string, text: string][]][] = [
    ['nothing', '', []],
    ['white space', ' \r\n\n\t', []],
    ['one event', '{"a":1}', [['1', '{"a":1}']]],
    [
      'one per line, with empty lines, CRLF and no final newline',
      '\r\n{"a":1}\r\n\r\n  {"a":"\\n"} \n{"b":2}',
      [
        ['2', '{"a":1}'],
        ['4', '{"a":"\\n"}'],
        ['5', '{"b":2}'],
      ],
    ],
    ['a byte-order mark', '\ufeff{"a":1}\n', [['1', '{"a":1}']]],
    [
      'unreadable lines',
      '{"a":1\n{"b":2}\nx\n"\n[1]\n{"c":3}',
      [
        ['1', '{"a":1'],
        ['2', '{"b":2}'],
        ['3', 'x'],
        ['4', '"'],
        ['5', '[1]'],
        ['6', '{"c":3}'],
      ],
    ],
    [
      'an object over several lines',
      '\n{\n "a": {\n "b": "}]\\""}\n}\n',
      [['2', '{\n "a": {\n "b": "}]\\""}\n}']],
    ],
    [
      'objects over several lines',
      '{ "a":\n1 }\n{\n}',
      [
        ['1', '{ "a":\n1 }'],
        ['3', '{\n}'],
      ],
    ],
    [
      'an array',
      '[{"a":[1,2]},{"b":\n2}\n,\n 3 , "x,]" ,true]\n',
      [
        ['1.1', '{"a":[1,2]}'],
        ['1.2', '{"b":\n2}'],
        ['4.3', '3'],
        ['4.4', '"x,]"'],
        ['4.5', 'true'],
      ],
    ],
    ['an empty array', '[ ]', []],
    [
      'an array without an end',
      '\n[{"a":1},\n',
      [
        ['2.1', '{"a":1}'],
        ['2', '['],
      ],
    ],
    [
      'an array whose last event has no end',
      '[{"a":1},{"b"',
      [
        ['1.1', '{"a":1}'],
        ['1.2', '{"b"'],
      ],
    ],
    [
      'text after an array',
      '[{"a":1}]]x',
      [
        ['1.1', '{"a":1}'],
        ['1', ']'],
        ['1', 'x'],
      ],
    ],
  ];
  for (const [what, input, expected] of forms)
    it(`are found in ${what}, whatever the size of the pieces`, () => {
      for (const piece of [Number.POSITIVE_INFINITY, 1, 2, 3, 7])
        expect(places(input, piece), `pieces of ${piece}`).to.deep.equal(expected);
    });

  it('are one binary event if the input begins with a zero byte', () =>
    expect(places(Buffer.from([0, 0, 0, 0, 1, 0x0a, 0x7b]), 3)).to.deep.equal([['1', '\0\0\0\0\u0001\n{']]));

  for (const [what, begin, end] of [
    ['line', '{"a":1}\n{"b":"', '"}\n{"c":3}'],
    ['element', '[{"a":1},{"b":"', '"},{"c":3}]'],
  ] as const)
    it(`keep only the beginning of an ${what === 'line' ? 'endless' : 'enormous'} ${what}`, () => {
      const size = 3 * MAX_TEXT_BYTES;
      const found = split(begin + 'x'.repeat(size) + end, 65_536);
      expect(found.map(({ length }) => length)).to.deep.equal([7, size + 8, 7]);
      expect(found[1]?.text).to.have.length(MAX_TEXT_BYTES);
    });

  it('are the same in every form of the same documents', () => {
    const event = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 });
    const documents = fc.array(event, { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(documents, fc.integer({ min: 1, max: 50 }), (events, piece) => {
        const parsed = (input: string) => split(input, piece).map(({ text }) => JSON.parse(text));
        const plain = JSON.parse(JSON.stringify(events));
        expect(parsed(JSON.stringify(events))).to.deep.equal(plain);
        expect(parsed(JSON.stringify(events, null, 2))).to.deep.equal(plain);
        expect(parsed(events.map((event) => JSON.stringify(event)).join('\n'))).to.deep.equal(plain);
        expect(parsed(events.map((event) => JSON.stringify(event, null, 1)).join('\n'))).to.deep.equal(plain);
      }),
      { seed: 36, numRuns: 300 },
    );
  });
});
