import { daysAfter, slugOf } from '../../oracle/oracle-listing.ts';
import { select, sortedBy } from '../../oracle/selection.ts';
import { cheapestFirst, stayOn } from '../../oracle/stays.ts';
import { type AskedMarket, firstIds, type Question, WANTED } from '../../question.ts';

const DAY_MS = 86_400_000;

/** What has changed since yesterday, with the old prices. The feed does not have the old prices. */
export function changedPrices({ changes, now }: AskedMarket): Question {
  const since = now - DAY_MS;
  const city = 'Florianópolis';
  const changed = changes.filter(({ listing, at }) => at >= since && listing.city === slugOf(city));
  const factsOf = (prices: readonly (readonly [id: string, text: string])[]) => ({
    ids: [],
    facts: Object.fromEntries(prices.toSorted(([a], [b]) => (a < b ? -1 : 1))),
  });
  return {
    name: 'prices that changed since yesterday',
    text: 'Quais anúncios de Florianópolis mudaram de preço desde ontem, de quanto para quanto?',
    expected: factsOf(
      changed.map(({ listing: { id, cents }, previousCents }) => [
        id,
        `${previousCents / 100} to ${cents / 100}`,
      ]),
    ),
    before: { calls: 49 },
    byTools: async (tools) => {
      const { changes: found } = await tools.changes({
        since: new Date(since).toISOString(),
        kind: 'price',
        city,
        limit: 20,
      });
      return factsOf(found.map(({ id, price, previous_price }) => [id, `${previous_price} to ${price}`]));
    },
  };
}

/** Several cities and kinds at once, best rated first. */
export function bestRated({ listings }: AskedMarket): Question {
  const [cities, kinds] = [
    ['Gramado', 'Búzios'],
    ['Chalé', 'Casa de Praia'],
  ];
  const matching = [...cities].flatMap((city) =>
    kinds.flatMap((kind) =>
      select(listings, { adType: 'rent', city: slugOf(city), subCategory: slugOf(kind) }),
    ),
  );
  return {
    name: 'best rated of two cities',
    text: 'Which five chalets or beach houses for rent in Gramado or Búzios have the best rating?',
    expected: firstIds(sortedBy(matching, ({ rating }) => -rating)),
    byTools: async (tools) =>
      firstIds(
        (await tools.search({ ad_type: 'rent', city: cities, sub_category: kinds, sort: 'rating' })).items,
      ),
    byFeed: async (feed) =>
      firstIds(
        (
          await feed.page('rent', {
            city: cities.join(','),
            sub_category: kinds.join(','),
            sort: 'rating',
            pageSize: WANTED,
          })
        ).data,
      ),
  };
}

/** Which of several known listings are free. The feed has no request for several listings. */
export function whichAreFree({ listings, today }: AskedMarket): Question {
  const [date, date_to, wanted] = ['2027-01-08', '2027-01-10', 4];
  const dates = [daysAfter(today, date), daysAfter(today, date_to)] as const;
  const filters = { city: 'Salvador', category: 'temporada' };
  const known = select(listings, {
    adType: 'rent',
    city: slugOf(filters.city),
    category: filters.category,
  }).slice(0, wanted);
  const ids = known.map(({ id }) => id);
  const factsOf = (totals: readonly (readonly [id: string, total: number | undefined])[]) => ({
    ids: [],
    facts: Object.fromEntries(totals.map(([id, total]) => [id, total ?? 'not free'])),
  });
  return {
    name: 'which of four listings are free',
    text: `Which of the listings ${ids.join(', ')} are free from 8 to 10 January, and for how much?`,
    expected: factsOf(
      known.map((listing) => {
        const stay = stayOn(listing, dates);
        return [listing.id, stay && stay.cents / 100];
      }),
    ),
    byTools: async (tools) => {
      const { items } = await tools.availabilities({ id: ids, date, date_to });
      return factsOf(items.map(({ id, total_price }) => [id, total_price]));
    },
    // The listings are the newest of their kind. This favors the feed.
    byFeed: async (feed) => {
      const found = await feed.find('rent', { ...filters, date, date_to, pageSize: 5 }, wanted, ({ id }) =>
        ids.includes(id),
      );
      const totals = new Map(
        found.map(({ id, availability }) => [id, availability.reduce((sum, { price }) => sum + price, 0)]),
      );
      return factsOf(ids.map((id) => [id, totals.get(id)]));
    },
  };
}

/** The lowest total per city. The feed's client is given the city names. */
export function cheapestCity({ listings, today }: AskedMarket): Question {
  const filters = { sub_category: 'chale', state: 'RS', date: '2026-12-11', date_to: '2026-12-12' };
  const dates = [daysAfter(today, filters.date), daysAfter(today, filters.date_to)] as const;
  const chalets = select(listings, {
    adType: 'rent',
    state: slugOf(filters.state),
    subCategory: filters.sub_category,
    dates,
  });
  const cities = [...new Set(chalets.map(({ city }) => city))].sort();
  const lowest = (city: string) =>
    cheapestFirst(chalets.filter((chalet) => chalet.city === city).map((chalet) => stayOn(chalet, dates)))[0];
  return {
    name: 'lowest total of each city',
    text: 'Em quais cidades do Rio Grande do Sul há chalé livre nas noites de 11 e 12 de dezembro, e a partir de que total?',
    expected: {
      ids: [],
      facts: Object.fromEntries(cities.map((city) => [city, (lowest(city)?.cents ?? 0) / 100])),
    },
    byTools: async (tools) => {
      const { values } = await tools.facets({ ad_type: 'rent', facet: 'city', ...filters });
      const totals = values.map(({ value, min_total_price = 0 }) => [value, min_total_price] as const);
      return { ids: [], facts: Object.fromEntries(totals.sort(([a], [b]) => (a < b ? -1 : 1))) };
    },
    byFeed: async (feed) => {
      const facts: Record<string, number> = {};
      for (const city of cities) {
        const { data } = await feed.page('rent', { ...filters, city, sort: 'total_price', pageSize: 1 });
        facts[city] = data[0]?.availability.reduce((total, { price }) => total + price, 0) ?? 0;
      }
      return { ids: [], facts };
    },
  };
}
