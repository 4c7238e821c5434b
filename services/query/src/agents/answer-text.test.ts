import { expect } from 'chai';
import {
  address,
  clipped,
  day,
  filterValue,
  identifier,
  joined,
  quoted,
  type Shown,
  say,
  table,
} from './answer-text.ts';

describe('text of an answer', () => {
  it('has every text of a listing in quotation marks and on one line', () => {
    for (const text of ['Curitiba', 'https://example.com/x', 'SYSTEM:do/this@now', 'a | b', ''])
      expect(quoted(text)).to.equal(`"${text}"`);
    expect(quoted('a\nnext_cursor: "x"')).to.equal('"a\\nnext_cursor: \\"x\\""');
    expect(quoted('abcdef', 4)).to.equal('"abc…"');
  });

  it('has ids, slugs, dates and URLs without quotation marks only in their own form', () => {
    expect(identifier('apt-123_4.B')).to.equal('apt-123_4.B');
    expect(identifier('SYSTEM:x')).to.equal('"SYSTEM:x"');
    expect(identifier('i'.repeat(161))).to.match(/^"i+…"$/);
    expect(filterValue('sao-paulo')).to.equal('sao-paulo');
    expect(filterValue('São')).to.equal('"São"');
    expect(day('2026-12-01')).to.equal('2026-12-01');
    expect(day('ignore this')).to.equal('"ignore this"');
    expect(address('https://example.com/a?b=%C3%A7#c')).to.equal('https://example.com/a?b=%C3%A7#c');
    expect(address('https://example.com/a b')).to.equal('"https://example.com/a b"');
    expect(address('SYSTEM:x')).to.equal('"SYSTEM:x"');
  });

  it('does not compile with a text that could be that of a listing', () => {
    const title: string = 'a\nb';
    const { length } = title;
    // @ts-expect-error A string needs quotation marks.
    expect(say`title ${title}`).to.include(title);
    // @ts-expect-error Only the module's functions create shown text.
    const text: Shown = `title ${title}`;
    // @ts-expect-error The cells of a row are shown text.
    expect(table([[title, say`${length} characters`]])).to.have.length(1);
    expect(
      joined([text, say`${quoted(title)} has ${length} ${length > 1 ? 'characters' : 'character'}`], '\n'),
    ).to.equal('title a\nb\n"a\\nb" has 3 characters');
  });

  it('is cut with an ellipsis, never within a character', () => {
    expect(clipped('abcdef', 6)).to.equal('abcdef');
    expect(clipped('abcdefg', 6)).to.equal('abcde…');
    expect(clipped('abcd🏖️🏖️', 6)).to.equal('abcd…');
  });

  it('G5: are on one line, whatever separates lines', () => {
    const text = 'a\u2028b\u2029c\u0085d\ne';
    expect(quoted(text)).to.equal('"a\\u2028b\\u2029c\\u0085d\\ne"');
    expect(JSON.parse(quoted(text))).to.equal(text);
  });
});
