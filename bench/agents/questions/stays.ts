import { daysAfter, slugOf } from '../oracle/oracle-listing.ts';
import { nearestFirst, offersOn, select } from '../oracle/selection.ts';
import { type AskedMarket, firstIds, type Question, WANTED, WANTED_STAYS } from '../question.ts';

const firstThree = (listings: readonly { id: string }[]) => firstIds(listings, WANTED_STAYS);

/** A flat by city, dates and price. The feed cannot filter by price. */
export function cheapStay({ listings, today }: AskedMarket): Question {
  const [date, date_to, max_price] = ['2026-12-12', '2026-12-15', 300];
  const filters = { city: 'São Paulo', category: 'temporada', date, date_to };
  return {
    name: 'city, dates and highest price',
    text: 'Vou a São Paulo de 12 a 15 de dezembro. Quais são os três anúncios de temporada mais recentes com preço até R$ 300?',
    expected: firstThree(
      select(listings, {
        adType: 'rent',
        city: slugOf(filters.city),
        category: filters.category,
        dates: [daysAfter(today, date), daysAfter(today, date_to)],
        maxCents: max_price * 100,
      }),
    ),
    byTools: async (tools) =>
      firstThree((await tools.search({ ad_type: 'rent', ...filters, max_price, limit: WANTED_STAYS })).items),
    byFeed: async (feed) =>
      firstThree(
        await feed.find('rent', { ...filters, pageSize: 5 }, WANTED_STAYS, ({ price }) => price <= max_price),
      ),
  };
}

/** The rentals nearest to a point. */
export function nearestRentals({ listings }: AskedMarket): Question {
  const [lat, lng] = [-22.971, -43.1822];
  return {
    name: 'nearest to a point',
    text: 'Which five rentals are closest to -22.971, -43.1822?',
    expected: firstIds(nearestFirst(select(listings, { adType: 'rent' }), lat, lng)),
    byTools: async (tools) => firstIds((await tools.search({ ad_type: 'rent', lat, lng })).items),
    byFeed: async (feed) => firstIds((await feed.page('rent', { lat, lng, pageSize: WANTED })).data),
  };
}

/**
 * A city under the name that people use. The model knows the official name, which the feed does not offer.
 */
export function nicknamedCity({ listings, today }: AskedMarket): Question {
  const filters = { sub_category: 'casa-de-praia', date: '2027-01-09', date_to: '2027-01-11' };
  const official = 'florianopolis';
  return {
    name: 'city by its nickname',
    text: 'Quais são as três casas de praia mais recentes para alugar em floripa de 9 a 11 de janeiro?',
    expected: firstThree(
      select(listings, {
        adType: 'rent',
        city: official,
        subCategory: filters.sub_category,
        dates: [daysAfter(today, filters.date), daysAfter(today, filters.date_to)],
      }),
    ),
    byTools: async (tools) => {
      const asked = { ad_type: 'rent', ...filters };
      const { suggestions } = await tools.search({ ...asked, city: 'floripa' });
      const city = suggestions?.city?.[0]?.value ?? '';
      return firstThree((await tools.search({ ...asked, city, limit: WANTED_STAYS })).items);
    },
    byFeed: async (feed) => {
      await feed.page('rent', { ...filters, city: 'floripa', pageSize: WANTED_STAYS });
      return firstThree(
        (await feed.page('rent', { ...filters, city: official, pageSize: WANTED_STAYS })).data,
      );
    },
  };
}

/** A night that the user can move. Both sides count the items on the neighboring dates. */
export function movableDates({ listings, today }: AskedMarket): Question {
  const [date, first, last] = ['2026-12-26', '2026-12-23', '2026-12-29'];
  const filters = { city: 'Florianópolis', sub_category: 'apartamento', date };
  const day = daysAfter(today, date);
  const conditions = {
    adType: 'rent',
    city: slugOf(filters.city),
    subCategory: filters.sub_category,
  };
  const around = select(listings, conditions);
  const counts = Array.from(
    { length: daysAfter(first, last) + 1 },
    (_, offset) => offersOn(around, daysAfter(today, first) + offset).count,
  ).join(' ');
  const factsOf = (dates: readonly { items: number }[] = []) => ({
    counts: dates.map(({ items }) => items).join(' '),
  });
  return {
    name: 'dates with their neighbors',
    text: 'I want a flat in Florianópolis for the night of 26 December. Which are the three newest, and would moving by up to three days give me more choice?',
    expected: {
      ...firstThree(select(around, { dates: [day, day] })),
      facts: { counts },
    },
    byTools: async (tools) => {
      const { items, neighbouring_dates } = await tools.search({
        ad_type: 'rent',
        ...filters,
        limit: WANTED_STAYS,
      });
      return { ...firstThree(items), facts: factsOf(neighbouring_dates) };
    },
    byFeed: async (feed) => {
      const { data, meta } = await feed.page('rent', { ...filters, pageSize: WANTED_STAYS });
      return { ...firstThree(data), facts: factsOf(meta.availability) };
    },
  };
}
