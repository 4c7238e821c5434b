import { FILTERS } from '@vitrine/feed-index/filters';
import { expect } from 'chai';
import fc from 'fast-check';
import { LEGACY_ALIASES, PARAMETER_NAMES } from '../contract/feed-parameters.ts';
import { pageLinks } from '../response/page-links.ts';
import { addDays } from './calendar-dates.ts';
import type { FeedCriteria } from './criteria.ts';
import { encodeCursor } from './cursor.ts';
import { readFeedRequest } from './feed-request.ts';

const meta = { page: 1, pageSize: 20, pageCount: 1, total: 1, endpoint: '' };
const cursorOf = (criteria: FeedCriteria) => encodeCursor(criteria, { key: 1, id: 'a' });
type Given = Record<string, string>;

const dates = fc.integer({ min: -40, max: 120 }).map((days) => {
  const date = new Date(Date.UTC(2026, 11, 1 + days));
  return date.toISOString().slice(0, 10);
});
const places = fc.constantFrom(
  'Natal',
  'recife',
  'Bonito',
  'MS',
  'pe',
  'Bonito, MS',
  'Bonito - PE',
  "Mãe d'Água",
  'Casa, mesa e banho',
  '---',
  ' ',
  'Rio Grande do Norte',
);
const lists = fc.array(places, { minLength: 1, maxLength: 6 }).map((values) => values.join(','));
const numbers = fc.oneof(
  fc.double({ min: 0, max: 1e25, noNaN: true }).map(String),
  fc.constantFrom('0', '-0', '5', '4.8', '1e3', '007', '1e21', '1e24'),
);

/** Leaves out some of the parts. */
const some = <T extends Record<string, fc.Arbitrary<string>>>(parts: T): fc.Arbitrary<Given> =>
  fc.record(parts, { requiredKeys: [] }).map((given) => ({ ...given }) as Given);
const dated = fc
  .record({ date: dates, last: fc.integer({ min: 0, max: 40 }), nights: fc.integer({ min: 0, max: 5 }) })
  .map(
    ({ date, last, nights }): Given => ({
      date,
      ...(last > 0 && { date_to: addDays(date, last - 1) }),
      ...(nights > 0 && { nights: `${nights}` }),
    }),
  );
const limits = (name: string, values: fc.Arbitrary<string>) =>
  fc.tuple(values, values).map((both): Given => {
    const [least = '', most = ''] = both.sort((a, b) => Number(a) - Number(b));
    return { [`min_${name}`]: least, [`max_${name}`]: most };
  });
const point = some({ localOnly: fc.constantFrom('true', 'ON', '0') }).chain((given) =>
  fc
    .record({ lat: fc.constantFrom('-8.05', '1e-7', '-0'), lng: fc.constantFrom('-34.9', '0') })
    .map((coordinates): Given => ({ ...coordinates, ...given })),
);
const others = some({
  city: lists,
  category: lists,
  sub_category: lists,
  state: places,
  ad_type: fc
    .array(fc.constantFrom('sale', 'rent', 'service', 'rental'), { minLength: 1, maxLength: 3 })
    .map(String),
  min_rating: fc.constantFrom('0', '4.8', '5', '-0'),
  sort: fc.constantFrom('newest', 'price', 'rating', 'total_price', 'distance'),
  page: fc.constantFrom('1', '07'),
  pageSize: fc.constantFrom('1', '100'),
});
/** Values that are well-formed, and sometimes contradict each other. */
const wellFormed: fc.Arbitrary<Given> = fc
  .tuple(
    others,
    ...[dated, point, limits('price', numbers)].map((part) => fc.option(part, { nil: {} as Given })),
    fc.option(limits('total_price', numbers), { nil: {} as Given, freq: 3 }),
  )
  .map((parts) => Object.assign({}, ...parts) as Given);
const anyValues: fc.Arbitrary<Given> = fc.dictionary(
  fc.constantFrom(...PARAMETER_NAMES, '__proto__', 'constructor'),
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    lists,
    dates,
    numbers,
    fc.constantFrom('*', 'x', ''),
  ),
);
const pathTypes = fc.constantFrom(undefined, 'rent' as const);

const read = (pathType: 'rent' | undefined, query: string) => readFeedRequest('ai-feed', pathType, query);
const queryOf = (given: Given) => new URLSearchParams(given).toString();

describe('meaning of a request', function () {
  this.timeout(120_000);

  it('is its criteria, or refusals that name their parameters, for any query', () => {
    const raw = fc.oneof(
      anyValues.map(queryOf),
      wellFormed.map(queryOf),
      fc
        .array(fc.constantFrom(...PARAMETER_NAMES, '=', '&', '%', '%FF', ',', '+', 'ms', '-'), {
          maxLength: 30,
        })
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(pathTypes, raw, (pathType, query) => {
        const request = read(pathType, query);
        if (!('bad' in request)) return;
        expect(request.bad).not.to.be.empty;
        for (const { parameter, detail } of request.bad) {
          expect(PARAMETER_NAMES).to.include(parameter);
          expect(detail).not.to.equal('');
          // A coordinate is also refused if only the other one is given.
          if (parameter !== 'lat' && parameter !== 'lng') expect(query, parameter).to.include(parameter);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('survives the links of its pages', () => {
    fc.assert(
      fc.property(pathTypes, wellFormed, (pathType, given) => {
        const criteria = read(pathType, queryOf(given));
        if ('bad' in criteria) return;
        const [link = ''] = pageLinks(criteria, meta).split('>');
        const linked = read(pathType, link.slice(link.indexOf('?') + 1));
        expect(linked, link).to.deep.equal({ ...criteria, page: 1 });
        expect(cursorOf(linked as FeedCriteria)).to.equal(cursorOf(criteria));
      }),
      { numRuns: 1_000 },
    );
  });

  it('is the same for every spelling', () => {
    const spelling = fc.record({ upper: fc.boolean(), reversed: fc.boolean(), legacy: fc.boolean() });
    fc.assert(
      fc.property(pathTypes, wellFormed, spelling, (pathType, given, { upper, reversed, legacy }) => {
        const respelled = Object.entries(given).map(([name, value]) => {
          const filter = (FILTERS as Record<string, (typeof FILTERS)[keyof typeof FILTERS] | undefined>)[
            name
          ];
          const alias = (LEGACY_ALIASES as Given)[name];
          const isText = filter?.kind === 'text';
          return [legacy && alias ? alias : name, isText && upper ? value.toUpperCase() : value] as const;
        });
        const query = queryOf(Object.fromEntries(reversed ? respelled.reverse() : respelled));
        const [one, other] = [read(pathType, queryOf(given)), read(pathType, query)];
        if ('bad' in one) return;
        expect(JSON.stringify(other), query).to.equal(JSON.stringify(one));
      }),
      { numRuns: 1_000 },
    );
  });

  it('is part of the cursor, whichever parameter makes the difference', () => {
    const meaningOf = (given: Given) => {
      const criteria = read(undefined, queryOf(given));
      if ('bad' in criteria) return undefined;
      return { cursor: cursorOf(criteria), text: JSON.stringify({ ...criteria, page: 1, pageSize: 1 }) };
    };
    fc.assert(
      fc.property(wellFormed, wellFormed, (given, others) => {
        const one = meaningOf(given);
        for (const changed of Object.keys({ ...given, ...others })) {
          const { [changed]: _, ...rest } = given;
          const other = meaningOf({
            ...rest,
            ...(changed in others && { [changed]: others[changed] ?? '' }),
          });
          if (one && other)
            expect(one.cursor === other.cursor, `${one.text} ${other.text}`).to.equal(
              one.text === other.text,
            );
        }
      }),
      { numRuns: 200 },
    );
  });
});
