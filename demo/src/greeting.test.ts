import { addDays, DEMO, generateListings, isComplete } from '@vitrine/fixtures';
import { slugify } from '@vitrine/listing';
import { expect } from 'chai';
import { DAYS_AHEAD, exampleLines } from './greeting.ts';

describe('the example requests', () => {
  it('are four lines with a date some days ahead', () => {
    const lines = exampleLines('http://localhost:1/api', '2026-12-28');
    expect(lines).to.have.length(4);
    expect(lines[1]).to.include('date=2027-01-02');
  });

  it('find items on any day of the week', function () {
    // Generating the listings of seven days takes seconds on a busy machine.
    this.timeout(120_000);
    for (let day = 0; day < 7; day++) {
      const today = addDays('2026-06-01', day);
      const listings = generateListings({ ...DEMO, today }).filter(isComplete);
      const inCity = (city: string) =>
        listings.filter(({ fields }) => slugify(fields.location.city) === city);
      const open = inCity('florianopolis').filter(
        ({ adType, calendar }) =>
          adType === 'rent' &&
          calendar.some(({ date, available }) => available && date === addDays(today, DAYS_AHEAD)),
      );
      expect(open.length).to.be.above(10);
      expect(
        listings.filter(
          ({ adType, fields }) => adType === 'service' && slugify(fields.category) === 'aulas-particulares',
        ).length,
      ).to.be.above(50);
      expect(inCity('sao-paulo').length).to.be.above(50);
    }
  });
});
