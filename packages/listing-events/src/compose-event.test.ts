import { expect } from 'chai';
import { composeEvent, dataOf } from './compose-event.ts';
import { decodeRecord } from './decode.ts';
import type { ListingEvent } from './listing-event.ts';
import { type Version, versionOf } from './version.ts';

const TIME = '2026-11-01T12:00:00.000Z';

const composed = (event: ListingEvent, version: Version = event.version) =>
  composeEvent({
    id: '1',
    source: '/test',
    type: event.kind,
    listingId: event.id,
    time: TIME,
    version,
    data: dataOf(event),
  });

describe('composeEvent', () => {
  const head = { id: 'casa-1', version: 7, source: '/test', time: Date.parse(TIME) };
  const dates = [{ date: '2026-11-02', available: true, price: 90 }];
  const events: ListingEvent[] = [
    { ...head, kind: 'changed', fields: { price: 5, title: null } },
    { ...head, kind: 'availability_changed', mode: 'replace', dates },
    { ...head, kind: 'removed' },
    { ...head, version: versionOf(3, 9), kind: 'removed' },
  ];
  for (const event of events)
    it(`a composed ${event.kind} event of version ${event.version} decodes to the same event`, () => {
      const value = Buffer.from(JSON.stringify(composed(event)));
      expect(decodeRecord({ key: Buffer.from(event.id), value })).to.deep.equal({ outcome: 'event', event });
    });

  it('a composed snapshot decodes to the same fields and calendar, and clears the other fields', () => {
    const event: ListingEvent = { ...head, kind: 'snapshot', fields: { title: 'Casa' }, dates };
    const decoded = decodeRecord({
      key: Buffer.from(event.id),
      value: Buffer.from(JSON.stringify(composed(event))),
    });
    expect(decoded).to.have.nested.property('event.fields.title', 'Casa');
    expect(decoded).to.have.nested.property('event.fields.price', null);
    expect(decoded).to.have.deep.nested.property('event.dates', dates);
  });

  it('names no epoch 0, which is the default', () => {
    const event: ListingEvent = { ...head, kind: 'removed' };
    expect(composed(event).data).to.deep.equal({ version: 7 });
    expect(composed(event, [2, 7]).data).to.deep.equal({ version: 7, version_epoch: 2 });
  });
});
