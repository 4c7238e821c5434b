import { expect } from 'chai';
import { dateIn, numberIn, textIn, textsIn, timeIn } from './column-values.ts';

describe('values of columns', () => {
  it('numbers are numbers, decimal texts, or unscaled bytes with their scale', () => {
    expect([1.5, '1.50', '-2', 3n, null, undefined].map(numberIn)).to.deep.equal([
      1.5,
      1.5,
      -2,
      3,
      null,
      null,
    ]);
    const unscaled = (value: number[], scale: number) =>
      numberIn({ scale, value: Buffer.from(value).toString('base64') });
    expect([unscaled([0x04, 0xd2], 2), unscaled([0xff], 1), unscaled([0x80, 0x00], 0)]).to.deep.equal([
      12.34, -0.1, -32_768,
    ]);
    expect(() => numberIn('BNI=')).to.throw('decimal.handling.mode');
    // JSON would write an infinite number as null.
    for (const value of ['1e999', '9'.repeat(400), Number.NaN])
      expect(() => numberIn(value)).to.throw('the number is');
    expect(() => unscaled(Array(500_000).fill(127), 0)).to.throw('the number has 500000 bytes');
  });

  it('dates are days since 1970, or texts', () => {
    expect([0, 20_760, '2026-11-03', '2026-11-03Z'].map(dateIn)).to.deep.equal([
      '1970-01-01',
      '2026-11-03',
      '2026-11-03',
      '2026-11-03',
    ]);
    for (const value of ['soon', '2026-11-03junk']) expect(() => dateIn(value)).to.throw('not a date');
    expect(() => dateIn(null)).to.throw('not a date');
  });

  it('times are texts, or integers whose unit follows from their size', () => {
    const ms = Date.parse('2026-11-01T12:00:00.123Z');
    expect([ms, ms * 1e3 + 456, BigInt(ms) * 1_000_000n].map(timeIn)).to.deep.equal(
      Array(3).fill('2026-11-01T12:00:00.123Z'),
    );
    expect(timeIn('2026-11-01T12:00:00+02:00')).to.equal('2026-11-01T12:00:00+02:00');
    expect(timeIn('2026-11-01T12:00:00.5')).to.equal('2026-11-01T12:00:00.5Z');
    expect(timeIn(null)).to.equal(null);
  });

  it('a date as a time is midnight in UTC, and not a moment in 1970', () => {
    expect([20_635, '2026-07-01', '2026-07-01Z'].map(timeIn)).to.deep.equal([
      '2026-07-01T00:00:00.000Z',
      '2026-07-01T00:00:00Z',
      '2026-07-01T00:00:00Z',
    ]);
    expect(timeIn('2026-07-01+02:00')).to.equal('2026-07-01+02:00');
  });

  it('texts are texts, numbers or booleans, because the text of an object says nothing', () => {
    expect(['a', 7, 7n, true, null].map(textIn)).to.deep.equal(['a', '7', '7', 'true', null]);
    for (const value of [{ a: 1 }, ['a'], Buffer.from('a')])
      expect(() => textIn(value)).to.throw('is not text');
    expect(() => textIn(2 ** 53)).to.throw('JSON has rounded it');
  });

  it('lists of texts are arrays or JSON, and lose null elements', () => {
    expect([['a', null], '["a"]'].map(textsIn)).to.deep.equal([['a'], ['a']]);
    expect(() => textsIn({})).to.throw('not an array');
    expect(() => textsIn('[{"url": "a"}]')).to.throw('{"url":"a"} is not text');
  });
});
