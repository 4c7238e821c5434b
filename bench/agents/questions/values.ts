import { daysAfter, type OracleListing, slugOf } from '../oracle/oracle-listing.ts';
import { countBy, select } from '../oracle/selection.ts';
import { type AskedMarket, firstIds, type Question } from '../question.ts';

const byName = (counts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));

const countsOf = (values: readonly { value: string; count: number }[]): Record<string, number> =>
  byName(Object.fromEntries(values.map(({ value, count }) => [value, count])));

/** The facet value for each listing's city. A name that exists in several states has one value per state. */
function cityValues(listings: readonly OracleListing[]): (listing: OracleListing) => string {
  const states = new Map<string, Set<string>>();
  for (const { city, state } of listings) states.set(city, (states.get(city) ?? new Set()).add(state));
  return ({ city, state }) => ((states.get(city)?.size ?? 0) > 1 ? `${city}-${state}` : city);
}

/**
 * The cities that have holiday rentals. The feed's client is given the city names, because without them it
 * would have to read the whole feed.
 */
export function citiesWithCounts({ listings }: AskedMarket): Question {
  const category = 'temporada';
  const cityOf = cityValues(listings);
  const cities = [...new Set(listings.map(cityOf))];
  const rentals = select(listings, { adType: 'rent', category });
  const expected = byName(
    countBy(
      rentals.map((rental) => ({ ...rental, city: cityOf(rental) })),
      'city',
    ),
  );
  return {
    name: 'cities with counts',
    text: 'Em quais cidades há anúncios de temporada, e quantos em cada uma?',
    expected: { ids: [], facts: expected },
    byTools: async (tools) => {
      const { values } = await tools.facets({ ad_type: 'rent', category, facet: 'city', limit: 50 });
      return { ids: [], facts: countsOf(values) };
    },
    byFeed: async (feed) => {
      const counts: Record<string, number> = {};
      for (const city of cities) {
        const total = await feed.total('rent', { category, city });
        if (total > 0) counts[city] = total;
      }
      return { ids: [], facts: byName(counts) };
    },
  };
}

/** The kinds of services that a city has on a date. The feed's client is given their names. */
export function servicesByCategory({ listings, today }: AskedMarket): Question {
  const [city, date] = ['Salvador', '2026-12-12'];
  const categories = [...new Set(select(listings, { adType: 'service' }).map(({ category }) => category))];
  const day = daysAfter(today, date);
  const matching = select(listings, { adType: 'service', city: slugOf(city), dates: [day, day] });
  return {
    name: 'categories with counts',
    text: 'Which kinds of services can I book in Salvador on Saturday, 12 December, and how many of each?',
    expected: { ids: [], facts: byName(countBy(matching, 'category')) },
    byTools: async (tools) => {
      const { values } = await tools.facets({ ad_type: 'service', city, date, facet: 'category' });
      return { ids: [], facts: countsOf(values) };
    },
    byFeed: async (feed) => {
      const counts: Record<string, number> = {};
      for (const category of categories) {
        const total = await feed.total('service', { city, date, category });
        if (total > 0) counts[category] = total;
      }
      return { ids: [], facts: byName(counts) };
    },
  };
}

/** Ten electricians in a city on a date. */
export function servicesInCity({ listings, today }: AskedMarket): Question {
  const [date, wanted] = ['2026-12-12', 10];
  const filters = { city: 'São Paulo', sub_category: 'eletrica', date };
  const day = daysAfter(today, date);
  return {
    name: 'services in a city',
    text: 'Preciso de eletricista em São Paulo no sábado, 12 de dezembro. Mostre dez.',
    expected: firstIds(
      select(listings, {
        adType: 'service',
        city: slugOf(filters.city),
        subCategory: filters.sub_category,
        dates: [day, day],
      }),
      wanted,
    ),
    byTools: async (tools) => firstIds(await tools.find({ ad_type: 'service', ...filters }, wanted), wanted),
    byFeed: async (feed) =>
      firstIds((await feed.page('service', { ...filters, pageSize: wanted })).data, wanted),
  };
}
