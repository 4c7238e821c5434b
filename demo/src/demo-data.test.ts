import { decodeRecord } from '@vitrine/listing-events';
import { expect } from 'chai';
import { addDays } from './calendar-dates.ts';
import { demoData } from './demo-data.ts';

const OPTIONS = { seed: 7, count: 2_000, today: '2026-03-10' };

describe('the demo data', () => {
  const data = demoData(OPTIONS);

  it('are the same for the same seed, and others for another', () => {
    expect(demoData(OPTIONS)).to.deep.equal(data);
    expect(demoData({ ...OPTIONS, seed: 8 }).events).not.to.deep.equal(data.events);
  });

  it('are events that the contract accepts', () => {
    const refused = data.events
      .map((event) => decodeRecord({ key: Buffer.from(event.subject), value: Buffer.from(JSON.stringify(event)) }))
      .filter(({ outcome }) => outcome !== 'event');
    expect(refused).to.deep.equal([]);
  });

  it('give each listing several events, whose versions go up by one from the first', () => {
    const versions = new Map<string, Set<number>>();
    for (const { subject, data: said } of data.events) versions.set(subject, (versions.get(subject) ?? new Set()).add(said.version));
    expect(versions.size).to.equal(OPTIONS.count);
    for (const of of versions.values()) expect([...of].sort((a, b) => a - b)).to.deep.equal(Array.from(of, (_, index) => index + 1));
    expect([...versions.values()].filter(({ size }) => size >= 3).length).to.be.above(OPTIONS.count * 0.8);
  });

  it('start at another version when asked, with nothing else changed', () => {
    const later = demoData({ ...OPTIONS, firstVersion: 1_000 });
    expect(later.events.map(({ data: { version, ...said } }) => said)).to.deep.equal(data.events.map(({ data: { version, ...said } }) => said));
    expect(Math.min(...later.events.map(({ data: said }) => said.version))).to.equal(1_000);
  });

  it('arrive interleaved, some late and some twice', () => {
    const seen = new Map<string, number>();
    const ids = new Set<string>();
    let late = 0;
    let again = 0;
    let interleaved = 0;
    for (const [index, { id, subject, data: said }] of data.events.entries()) {
      const last = seen.get(subject) ?? 0;
      if (said.version < last) late++;
      if (ids.has(id)) again++;
      ids.add(id);
      if (data.events[index - 1]?.subject !== subject) interleaved++;
      seen.set(subject, Math.max(last, said.version));
    }
    expect(late).to.be.above(100);
    expect(again).to.be.within(100, 800);
    expect(interleaved).to.be.above(data.events.length * 0.9);
  });

  it('are of all types and kinds: incomplete ones, removed ones, calendars from today', () => {
    const { listings } = data;
    const share = (count: number) => count / listings.length;
    for (const adType of ['sale', 'rent', 'service'] as const) {
      expect(share(listings.filter((listing) => listing.adType === adType).length)).to.be.above(0.2);
    }
    expect(share(listings.filter(({ flaw }) => flaw).length)).to.be.within(0.06, 0.1);
    for (const flaw of ['title', 'price', 'location', 'url']) expect(listings.some((listing) => listing.flaw === flaw)).to.equal(true);
    expect(listings.filter(({ removed }) => removed).length).to.be.within(10, 60);
    expect(new Set(listings.map(({ fields }) => fields.location.city?.trim().replaceAll('  ', ' ').toLowerCase())).size).to.be.above(35);
    for (const { adType, calendar, fields } of listings) {
      expect(fields.price).to.be.above(0);
      expect(fields.published_at > '2024-03-0' && fields.published_at <= '2026-03-10T00').to.equal(true);
      if (adType === 'sale') expect(calendar).to.deep.equal([]);
      else expect(calendar.map(({ date }) => date)).to.deep.equal(calendar.map((_, day) => addDays(OPTIONS.today, day)));
    }
    expect(data.complete).to.be.within(1_700, 1_900);
  });
});
