import { expect } from 'chai';
import { readGivenTime } from './given-time.ts';

describe('a time that a client gives', () => {
  for (const [text, utc] of [
    ['2026-11-25', '2026-11-25T03:00:00.000Z'],
    ['2026-11-25T08:00', '2026-11-25T11:00:00.000Z'],
    [' 2026-11-25 08:00:30 ', '2026-11-25T11:00:30.000Z'],
    ['2026-11-25T08:00:00Z', '2026-11-25T08:00:00.000Z'],
    ['2026-11-25t08:00:00.123456z', '2026-11-25T08:00:00.123Z'],
    ['2026-11-25T08:00:00+02:00', '2026-11-25T06:00:00.000Z'],
    ['2026-11-25T08:00:00-0300', '2026-11-25T11:00:00.000Z'],
  ] as const)
    it(`may be ${JSON.stringify(text)}`, () =>
      expect(new Date(readGivenTime(text) ?? Number.NaN).toISOString()).to.equal(utc));

  for (const text of [
    'yesterday',
    '',
    '2026',
    '2026-02-30',
    '2026-13-01',
    '2026-11-25T25:00',
    '2026-11-25T08:00:00+25:99',
    '25/11/2026',
    '1764028800',
  ])
    it(`cannot be ${JSON.stringify(text)}`, () => expect(readGivenTime(text)).to.equal(undefined));
});
