import { expect } from 'chai';
import { SourceError } from './source-error.ts';
import { fromRecord, listingOf, missingForSnapshot, toSourceLine } from './source-line.ts';

const snapshot = (data: object) => ({
  specversion: '1.0',
  type: 'marketplace.listing.snapshot',
  subject: 'a',
  data,
});

describe('a line of the source', () => {
  it('states the id, a version and members', () => {
    expect(toSourceLine(7, { id: 'a', version: 3, price: 10, 'location.city': 'Natal' })).to.deep.equal({
      line: 7,
      id: 'a',
      version: 3,
      members: { price: 10, 'location.city': 'Natal' },
    });
    expect(toSourceLine(1, { id: 'a', version: 3, version_epoch: 2 }).version).to.deep.equal([2, 3]);
    expect(toSourceLine(1, { id: 'a', version: null, version_epoch: null })).not.to.have.property('version');
  });

  it('may be a snapshot event, which states all fields, and the calendar if the event has one', () => {
    const { version, members } = toSourceLine(
      1,
      snapshot({ version: 4, listing: { title: 'Casa', extra: 1 } }),
    );
    expect(version).to.equal(4);
    expect(members).to.include({ title: 'Casa', price: null, images: null });
    expect(members).not.to.have.any.keys('extra', 'availability');
    const dates = snapshot({ version: 4, listing: { availability: [] } });
    expect(toSourceLine(1, dates).members.availability).to.deep.equal([]);
    expect(missingForSnapshot(toSourceLine(1, dates))).to.deep.equal([]);
  });

  it('is refused by its number and the reason', () => {
    const deep = JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`) as unknown;
    for (const [parsed, message] of [
      [5, 'is JSON but not an object'],
      [[], 'is JSON but not an object'],
      [{ title: 'x' }, 'has no id'],
      [{ id: 1 }, 'has an id that is not text'],
      [{ id: '' }, 'has an id that is not text'],
      [{ id: 'a', colour: 1 }, 'names "colour"'],
      [JSON.parse('{"id":"a","__proto__":1}'), 'names "__proto__"'],
      [{ id: 'a', constructor: 1 }, 'names "constructor"'],
      [{ id: 'a', version: 0 }, 'not an integer from 1 to 2^53-1'],
      [{ id: 'a', version: '5' }, 'not an integer from 1 to 2^53-1'],
      [{ id: 'a', version: 2 ** 53 }, 'not an integer from 1 to 2^53-1'],
      [{ id: 'a', version: 1, version_epoch: 1_000_001 }, 'not an integer from 0 to 1000000'],
      [{ id: 'a', version_epoch: 1 }, 'only together with version'],
      [{ id: 'a', 'location.lat': 1 }, 'only together with location.lng'],
      [{ id: 'a', 'provider.slug': 'b' }, 'only together with provider.name'],
      [{ id: 'a', location: {}, 'location.city': 'x' }, 'both location.city and the whole location'],
      [{ id: 'a', images: deep }, 'nested deeper than 32 levels'],
      [{ ...snapshot({}), type: 'marketplace.listing.removed' }, 'but not a snapshot'],
      [snapshot({ version: 1 }), 'without listing'],
    ] as const)
      expect(() => toSourceLine(9, parsed), message)
        .to.throw(SourceError, /^line 9 of the source /)
        .with.property('message')
        .that.contains(message);
  });

  it('gives the listing of an event, and names what a snapshot lacks', () => {
    const line = fromRecord(1, { id: 'a', title: 'x', 'location.city': 'Natal', 'provider.name': 'Ana' });
    expect(listingOf(line)).to.deep.equal({
      title: 'x',
      location: { city: 'Natal' },
      provider: { name: 'Ana' },
    });
    expect(missingForSnapshot(line)).to.include.members([
      'price',
      'location.state',
      'provider.slug',
      'images',
    ]);
    expect(missingForSnapshot(line)).not.to.include.oneOf(['title', 'location.city', 'location']);
  });
});
