import { expect } from 'chai';
import fc from 'fast-check';
import { normalizeText, slugify, wordsOf } from './text.ts';

describe('normalizeText', () => {
  const cases: [what: string, raw: string | null | undefined, normalized: string | undefined][] = [
    ['absent stays absent', undefined, undefined],
    ['null is absent', null, undefined],
    ['empty is absent', '', undefined],
    ['nothing but markup and space is absent', ' <br/>\u200b&nbsp;', undefined],
    ['a tag becomes a space', 'casa<br />grande', 'casa grande'],
    ['a comment and a declaration are tags', 'a<!-- x -->b<?php y ?>c', 'a b c'],
    ['a closing tag is a tag', 'a</b>c', 'a c'],
    ['a < before anything else is text', '3 < 5 and <3 and a<-b', '3 < 5 and <3 and a<-b'],
    ['an open tag that never ends is text', 'a <b c', 'a <b c'],
    ['a tag does not reach over another <', 'x <a <b> y', 'x <a y'],
    ['entities are decoded, once', 'caf&eacute; &amp;lt; &#x41;', 'café &lt; A'],
    ['a tag that decoding creates is removed too', 'a&lt;script&gt;b', 'a b'],
    ['a tag that a zero-width character hid is removed too', 'a<\u200bscript>b', 'a b'],
    ['a tag that NFC creates is removed too', 'a<\u212a>b', 'a b'],
    ['C0 and C1 go', 'a\x00b\x1fc\x85d\x7fe', 'abcde'],
    ['tab, line feed and carriage return are white space', 'a\tb\nc\r\nd', 'a b c d'],
    ['vertical tab and form feed are controls', 'a\vb\fc', 'abc'],
    [
      'zero-width characters are removed, but ZWJ and ZWNJ stay',
      'a\u200b\u2060\ufeffb\u200cc\u200dd',
      'ab\u200cc\u200dd',
    ],
    ['nothing but an invisible character is absent', '\u2062', undefined],
    ['nothing but a variation selector is absent', '\ufe0f', undefined],
    ['nothing but a Hangul filler is absent', '\u3164', undefined],
    ['soft hyphens are removed', 'Curi\u00adtiba', 'Curitiba'],
    ['a tag that an invisible character hid is removed too', 'a<\u2062script>b', 'a b'],
    ['a letter and the accent behind an invisible character are composed', 'Sa\u034f\u0303o', 'S\u00e3o'],
    ['the sequence of an emoji stays', '🚴‍♀️ ❤️ ☎︎ 1️⃣', '🚴‍♀️ ❤️ ☎︎ 1️⃣'],
    [
      'a variation selector elsewhere is removed',
      'a\ufe0f 1\ufe0f ❤\ufe0f\ufe0f 葛\u{e0100}',
      'a 1 ❤\ufe0f 葛',
    ],
    ['tag characters are removed, even in a flag', '🏴\u{e0067}\u{e0062}\u{e007f}x', '🏴x'],
    ['bidi controls are removed', 'a\u202eb\u2066c\u200ed\u061ce', 'abcde'],
    ['NFC', 'Sa\u0303o', 'São'],
    ['white space collapses and is trimmed', ' \u00a0 a \u2003 b\u3000 ', 'a b'],
    ['a lone surrogate becomes U+FFFD', 'a\ud800b', 'a\ufffdb'],
    ['tags within tags are removed', 'x<a<a<a<a<a>>>>>y', 'x y'],
    ['text without a tag stays', '1 <2> 3 < b> <a < 4> c>', '1 <2> 3 < b> <a < 4> c>'],
    ['an emoji stays', '🏠 casa', '🏠 casa'],
  ];
  for (const [what, raw, normalized] of cases)
    it(what, () => expect(normalizeText(raw)).to.equal(normalized));

  it('removes every invisible code point of Unicode except ZWJ and ZWNJ', () => {
    const invisible = Array.from({ length: 0x110000 }, (_, code) => code)
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code))
      .filter((character) => /\p{Default_Ignorable_Code_Point}/u.test(character));
    expect(invisible).to.have.length.above(4_000);
    const named =
      '\u180e\u034f\u061c\u2061\u2062\u2063\u2064\u206a\u206f\u200b\u2060\ufeff\u{e0001}\u{e007f}';
    expect(invisible).to.include.members([...named]);
    for (const character of invisible) {
      const stays = '\u200c\u200d'.includes(character);
      expect(normalizeText(`a${character}b`), character.codePointAt(0)?.toString(16)).to.equal(
        stays ? `a${character}b` : 'ab',
      );
      if (!stays) expect(normalizeText(character)).to.equal(undefined);
    }
  });

  it('removes every tag, control character and outer space from any text', () => {
    const nasty = fc.string({
      unit: fc.constantFrom(
        '<',
        '>',
        '/',
        '!',
        'a',
        'K',
        '\u212a',
        '&lt;',
        '&gt;',
        '&#60;',
        '\u200b',
        ' ',
        '\n',
        '\ud800',
        'ã',
        '\u0303',
      ),
      maxLength: 40,
    });
    fc.assert(
      fc.property(nasty, (raw) => {
        const text = normalizeText(raw) ?? '';
        expect(text).to.not.match(/<[a-zA-Z/!?][^<>]*>/);
        expect(text).to.equal(text.trim().normalize('NFC').toWellFormed().replace(/\s+/g, ' '));
      }),
      { numRuns: 2000 },
    );
  });

  it('gives the same result for plain text with and without the fast path', () => {
    const plain = fc.string({
      unit: fc.constantFrom('a', 'Z', '0', 'ã', 'É', 'ß', '-', '"', ';', '=', '?', ' '),
      maxLength: 40,
    });
    fc.assert(
      fc.property(plain, (raw) => {
        // The zero-width space prevents the use of the fast path, and is removed.
        expect(normalizeText(raw)).to.equal(normalizeText(`\u200b${raw}`));
      }),
      { numRuns: 2000 },
    );
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('×', '÷', 'ÿ', '~', '!', '%', "'", '<', '&amp;', '>', 'a', ' '),
          maxLength: 12,
        }),
        (raw) => {
          expect(normalizeText(raw)).to.equal(normalizeText(`\u200b${raw}`));
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('takes linear time for hostile markup', () => {
    const started = performance.now();
    normalizeText('<a'.repeat(50_000));
    normalizeText(`<${'a'.repeat(100_000)}`);
    normalizeText('&lt;a'.repeat(20_000));
    normalizeText('<a'.repeat(50_000) + '>'.repeat(50_000));
    normalizeText(`${'a '.repeat(100_000)}<`);
    normalizeText(`${'a'.repeat(200_000)}\u0301`);
    normalizeText('\u2062'.repeat(100_000));
    normalizeText('❤\ufe0f'.repeat(100_000));
    normalizeText(`❤${'\ufe0f'.repeat(100_000)}`);
    normalizeText('1\ufe0f'.repeat(100_000));
    expect(performance.now() - started).to.be.below(2_000);
  });
});

describe('normalizeText, for runs of combining marks', () => {
  it('keeps thirty marks in a row, and takes linear time for any number of marks', () => {
    expect(normalizeText(`q${'\u0323'.repeat(29)}x`)).to.equal(`q${'\u0323'.repeat(29)}x`);
    const started = performance.now();
    const text = normalizeText(`a${'\u0301'.repeat(50_000)}${'\u0323'.repeat(49_990)}`);
    expect(text).to.have.length.below(40);
    normalizeText(`a${'\u0301\u0323'.repeat(49_990)}`);
    expect(performance.now() - started).to.be.below(1_000);
  });
});

describe('slugify', () => {
  const cases: [raw: string | null | undefined, slug: string | undefined][] = [
    ['São Paulo', 'sao-paulo'],
    ['SAO PAULO', 'sao-paulo'],
    ['sao-paulo', 'sao-paulo'],
    ['Sa\u0303o  <b>Paulo</b>', 'sao-paulo'],
    ['Entire home/apt', 'entire-home-apt'],
    ['İstanbul', 'istanbul'],
    ['--a--b--', 'a-b'],
    ['日本', undefined],
    ['★', undefined],
    ['', undefined],
    [null, undefined],
  ];
  for (const [raw, slug] of cases)
    it(`${JSON.stringify(raw)} -> ${slug}`, () => expect(slugify(raw)).to.equal(slug));
});

describe('words of a text', () => {
  it('are distinct, without case and accents', () => {
    expect(wordsOf('São Paulo: CASA, casa & pátio 2q')).to.deep.equal([
      'sao',
      'paulo',
      'casa',
      'patio',
      '2q',
    ]);
    expect(wordsOf('…')).to.deep.equal([]);
  });

  it('are limited in number and length', () => {
    const longest = Array.from({ length: 50_000 }, (_, i) => String(i)).join(' ');
    const words = wordsOf(`${'x'.repeat(100)} ${longest}`);
    expect(words).to.have.length(64);
    expect(words).not.to.include('x'.repeat(100));
  });
});
