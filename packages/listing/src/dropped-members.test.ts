import type { CalendarDate, FieldChanges } from '@vitrine/listing-events';
import { expect } from 'chai';
import fc from 'fast-check';
import { deriveItem } from './derive-item.ts';
import { droppedMembers } from './dropped-members.ts';
import { fold } from './fold.ts';
import { EMPTY_STATE, type ListingState, MAX_DATES } from './listing-state.ts';

const COMPLETE: FieldChanges = {
  title: 'Casa',
  price: 100,
  location: { city: 'Curitiba' },
  url: 'https://example.com/1',
};
const state = (fields: FieldChanges, dates: CalendarDate[] = []): ListingState =>
  fold(EMPTY_STATE, [
    { kind: 'changed', id: 'a', version: 1, time: 1_000, fields: { ...COMPLETE, ...fields } },
    { kind: 'availability_changed', id: 'a', version: 2, time: 1_000, mode: 'merge', dates },
  ]);
const dropped = (fields: FieldChanges) => droppedMembers(state(fields));
const days = (count: number): CalendarDate[] =>
  Array.from({ length: count }, (_, day) => ({
    date: new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10),
    available: true,
  }));

describe('the members that the rules drop', () => {
  const losses: [fields: FieldChanges, member: string, detail: RegExp][] = [
    [{ description: '<br>\u200b' }, 'description', /"<br>.*" has no visible text/],
    [{ category: '東京' }, 'category', /"東京" has no letters from a to z/],
    [{ sub_category: '!!!' }, 'sub_category', /"!!!" has no letters/],
    [{ location: { city: 'Curitiba', lat: 1 } }, 'location', /^has lat without lng$/],
    [{ location: { city: 'Curitiba', lat: null, lng: 0 } }, 'location', /^has lng without lat$/],
    [
      { location: { city: 'Curitiba', lat: 1, state: '<p>' } },
      'location',
      /^has lat without lng and has a state without text: "<p>"$/,
    ],
    [{ provider: { slug: 'loja' } }, 'provider', /^has no name$/],
    [{ provider: { name: '<i></i>' } }, 'provider', /^has no name$/],
    [{ rating: 5.1 }, 'rating', /^5.1 is not between 0 and 5$/],
    [{ rating: -1 }, 'rating', /^-1 is not/],
    [{ review_count: 2 ** 31 }, 'review_count', /^2147483648 is not an integer from 0 to 2147483647$/],
    [{ review_count: 1.5 }, 'review_count', /^1.5 is not/],
    [
      { images: ['https://example.com/1.jpg', 'no url', '/2.jpg'] },
      'images',
      /^2 of 3 have no valid URL, for example "no url"$/,
    ],
    [{ images: ['ftp://example.com/1.jpg'] }, 'images', /^1 of 1/],
    [{ published_at: '9999-12-31T23:59:59-03:00' }, 'published_at', /outside of the years 1 to 9999/],
  ];
  for (const [fields, member, detail] of losses)
    it(`reports ${JSON.stringify(fields)}`, () => {
      const [only, ...more] = dropped(fields);
      expect(more).to.deep.equal([]);
      expect(only?.member).to.equal(member);
      expect(only?.detail).to.match(detail);
    });

  const kept: FieldChanges[] = [
    {},
    { description: '', category: ' ', sub_category: null },
    { description: null, provider: null, rating: null, images: null, location: null },
    { images: [] },
    { images: ['https://example.com/1.jpg', 'https://example.com/1.jpg'] },
    { rating: 0, review_count: 0, provider: { name: 'Loja', slug: '!!!' } },
    { location: { city: 'Curitiba', state: '', lat: 1, lng: 2 } },
    { published_at: '2026-01-02T03:04:05Z', description: 'x', category: 'a', ad_type: 'rent' },
  ];
  for (const fields of kept)
    it(`reports nothing for ${JSON.stringify(fields)}`, () => expect(dropped(fields)).to.deep.equal([]));

  it('reports exactly the given values that the item lacks, for any content', () => {
    const texts = fc.constantFrom(null, '', ' ', '<b></b>', '\u200b', '東京', '!', 'Casa');
    const contents = fc.record(
      {
        description: texts,
        category: texts,
        sub_category: texts,
        provider: fc.option(fc.record({ name: texts, slug: texts }, { requiredKeys: [] })),
        rating: fc.constantFrom(null, -0.1, 0, 5, 5.1),
        review_count: fc.constantFrom(null, -1, 0, 2.5, 2 ** 31 - 1, 2 ** 31),
        images: fc.option(fc.array(fc.constantFrom('x', 'https://example.com/1', 'https://example.com/2'))),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(contents, (fields) => {
        const { item } = deriveItem('a', state(fields));
        const served = { ...item?.feed_item };
        const lost = (Object.keys(fields) as (keyof typeof fields)[]).filter((name) => {
          const given = fields[name];
          if (given === null || given === undefined) return false;
          if (typeof given === 'string') return given.trim() !== '' && served[name] === undefined;
          if (Array.isArray(given)) return new Set(given).size > (served.images ?? []).length;
          return served[name] === undefined;
        });
        expect(droppedMembers(state(fields)).map(({ member }) => member)).to.have.members(lost);
      }),
      { seed: 36, numRuns: 1_000 },
    );
  });

  it('reports several members, even of a hidden listing', () => {
    const hidden = state({ title: null, rating: 6, provider: {} });
    expect(deriveItem('a', hidden).hidden).to.equal('title');
    expect(droppedMembers(hidden).map(({ member }) => member)).to.deep.equal(['provider', 'rating']);
  });

  it('shortens a long value, and escapes control characters', () => {
    const [only] = dropped({ images: [`bad\u0000${'x'.repeat(3_000)}`] });
    expect(only?.detail).to.include('"bad\\u0000xxx').and.have.length.below(160);
  });

  it('reports a calendar at its limit, because the state does not contain the dropped dates', () => {
    expect(droppedMembers(state({}, days(MAX_DATES - 1)))).to.deep.equal([]);
    const [only] = droppedMembers(state({}, days(MAX_DATES + 1)));
    expect(only).to.include({ member: 'availability' });
    expect(only?.detail).to.match(/maximum of 3660 dates/);
  });

  it('reports exactly the dropped dates that a caller counted', () => {
    const full = state({}, days(MAX_DATES));
    expect(droppedMembers(full, 0)).to.deep.equal([]);
    expect(droppedMembers(full, 2)).to.deep.equal([
      { member: 'availability', detail: '2 dates beyond the latest 3660' },
    ]);
  });
});
