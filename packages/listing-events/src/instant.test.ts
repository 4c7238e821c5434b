import { expect } from 'chai';
import fc from 'fast-check';
import { parseInstant } from './instant.ts';

describe('parseInstant', () => {
  const cases: [text: string, iso: string][] = [
    ['2026-11-01T00:05:45Z', '2026-11-01T00:05:45.000Z'],
    ['2026-11-01T00:05:45.123Z', '2026-11-01T00:05:45.123Z'],
    ['2026-11-01t00:05:45z', '2026-11-01T00:05:45.000Z'],
    ['2026-11-01 00:05:45Z', '2026-11-01T00:05:45.000Z'],
    ['2026-11-01T00:05:45-03:00', '2026-11-01T03:05:45.000Z'],
    ['2026-11-01T00:05:45+0530', '2026-10-31T18:35:45.000Z'],
    ['2026-11-01T00:05:45.1239999Z', '2026-11-01T00:05:45.123Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['2016-12-31T20:59:60.5-03:00', '2017-01-01T00:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ];
  for (const [text, iso] of cases)
    it(text, () => expect(new Date(parseInstant(text)).toISOString()).to.equal(iso));

  for (const text of ['', 'yesterday', '2026-11-01', '2026-11-01T00:05:45'])
    it(`refuses ${JSON.stringify(text)}`, () => expect(() => parseInstant(text)).to.throw(RangeError));

  // Newtonsoft.Json#1188: these times are valid in their own zones, but not after conversion.
  for (const text of [
    '9999-12-31T23:59:59-03:00',
    '9999-12-31T23:59:60Z',
    '0000-12-31T23:59:59Z',
    '0001-01-01T00:00:00+00:01',
  ])
    it(`refuses ${text}, which leaves the years 1 to 9999 in UTC`, () =>
      expect(() => parseInstant(text)).to.throw(RangeError, 'outside of the years 1 to 9999'));

  it('gives the usual form and the same instant with an offset one value', () => {
    const instant = fc.date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(instant, (date) => {
        const text = date.toISOString();
        expect(parseInstant(text)).to.equal(date.getTime());
        expect(parseInstant(text.replace('Z', '+00:00'))).to.equal(date.getTime());
        expect(parseInstant(text.replace(/\.\d+Z/, 'Z'))).to.equal(
          Math.floor(date.getTime() / 1_000) * 1_000,
        );
      }),
    );
  });
});
