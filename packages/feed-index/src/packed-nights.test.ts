import { expect } from 'chai';
import fc from 'fast-check';
import { dayNumber, knownDays, packNights } from './packed-nights.ts';

const DAY_MS = 86_400_000;
const [FIRST, LAST] = [Date.parse('0001-01-01') / DAY_MS, Date.parse('9999-12-31') / DAY_MS];
const dateOf = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);
const bytesOf = (base64 = '') => Buffer.from(base64, 'base64');

/** Calendars with runs, gaps of every length, and repeated prices. */
const anyCalendar = fc
  .array(
    fc.tuple(
      fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 9_000 })),
      fc.boolean(),
      fc.oneof(
        fc.constantFrom(1, 99.9, 1e12),
        fc.integer({ min: 1, max: 100_000_000 }).map((n) => n / 100),
      ),
    ),
    { maxLength: 300 },
  )
  .map((steps) => {
    let day = FIRST - 1;
    return steps.map(([step, available, price]) => {
      day += step;
      return { date: dateOf(day), available, price };
    });
  });

/** Reads packed nights as their documentation describes them. */
function unpack(base64: string): { day: number; price: number | undefined }[] {
  const bytes = bytesOf(base64);
  const nights: { day: number; price: number | undefined }[] = [];
  let block = 4 + 8 * bytes.readInt32BE(0);
  while (block < bytes.length) {
    const [first, dates] = [bytes.readInt32BE(block), bytes.readInt32BE(block + 4)];
    for (let day = first; day < first + dates; day++) {
      const code = bytes.readUInt16BE(block + 8 + 2 * (day - first));
      if (code > 0)
        nights.push({ day, price: code === 1 ? undefined : bytes.readDoubleBE(4 + 8 * (code - 2)) });
    }
    block += 8 + 2 * dates;
  }
  return nights;
}

describe('packed nights', () => {
  it('number the dates from 1970-01-01', () => {
    expect(['1970-01-01', '2026-12-01', '1969-12-31'].map(dayNumber)).to.deep.equal([0, 20_788, -1]);
    for (let day = FIRST; day <= LAST; day += 13) expect(dayNumber(dateOf(day))).to.equal(day);
    for (const date of ['2000-02-29', '1900-02-28', '1900-03-01', '0004-02-29', '9999-12-31'])
      expect(dayNumber(date), date).to.equal(Date.parse(date) / DAY_MS);
  });

  it('have the documented bytes', () => {
    const calendar = [
      { date: '1970-01-01', available: true, price: 99.9 },
      { date: '1970-01-02', available: false, price: 5 },
      { date: '1970-01-04', available: true, price: 99.9 },
      { date: '1970-02-01', available: true, price: 1 },
    ];
    const double = (price: number) => {
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleBE(price);
      return bytes.toString('hex');
    };
    expect(bytesOf(packNights(calendar)).toString('hex')).to.equal(
      `00000002${double(99.9)}${double(1)}` +
        `0000000000000004${'0002000100000002'}` +
        `0000001f00000001${'0003'}`,
    );
  });

  it('are absent without a calendar', () => expect(packNights([])).to.equal(undefined));

  it('contain every date with its exact price, in at most 4 + 18n bytes', () =>
    fc.assert(
      fc.property(anyCalendar, (calendar) => {
        const packed = packNights(calendar);
        expect(unpack(packed ?? 'AAAAAA==')).to.deep.equal(
          calendar.map(({ date, available, price }) => ({
            day: dayNumber(date),
            price: available ? price : undefined,
          })),
        );
        expect(bytesOf(packed).length).to.be.at.most(4 + 18 * calendar.length);
      }),
    ));

  it('are short for a calendar with the years 1 and 9999', () => {
    const calendar = [FIRST, LAST].map((day) => ({ date: dateOf(day), available: true, price: 10 }));
    expect(bytesOf(packNights(calendar)).length).to.equal(4 + 8 + 2 * 10);
    expect(unpack(packNights(calendar) ?? '').map(({ day }) => day)).to.deep.equal([FIRST, LAST]);
  });
});

describe('known days', () => {
  it('are the runs of consecutive dates, available or not', () => {
    const dates = ['1969-12-31', '1970-01-01', '1970-01-03', '9999-12-31'];
    const calendar = dates.map((date, i) => ({ date, available: i % 2 === 0, price: 1 }));
    expect(knownDays(calendar)).to.deep.equal([
      { gte: -1, lte: 0 },
      { gte: 2, lte: 2 },
      { gte: LAST, lte: LAST },
    ]);
    expect(knownDays([])).to.deep.equal([]);
  });

  it('contain exactly the dates of the calendar, with a gap between two runs', () =>
    fc.assert(
      fc.property(anyCalendar, (calendar) => {
        const ranges = knownDays(calendar);
        expect(
          ranges.flatMap(({ gte, lte }) => Array.from({ length: lte - gte + 1 }, (_, i) => gte + i)),
        ).to.deep.equal(calendar.map(({ date }) => dayNumber(date)));
        for (const [i, { gte }] of ranges.entries())
          expect(gte).to.be.above((ranges[i - 1]?.lte ?? Number.NEGATIVE_INFINITY) + 1);
      }),
    ));
});
