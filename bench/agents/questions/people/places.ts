import { slugOf } from '../../oracle/oracle-listing.ts';
import { nearestFirst, select } from '../../oracle/selection.ts';
import { type AskedMarket, firstIds, type Question, WANTED, WANTED_STAYS } from '../../question.ts';

/** Near a place, well rated, cheap and with a photo. */
export function roomWithPhoto({ listings }: AskedMarket): Question {
  const [lat, lng] = [-23.5505, -46.6333];
  const filters = { sub_category: 'apartamento', lat, lng, min_rating: 4.8, max_price: 150 };
  const rooms = select(listings, {
    adType: 'rent',
    subCategory: filters.sub_category,
    minRating: filters.min_rating * 10,
    maxCents: filters.max_price * 100,
  });
  const nearest = nearestFirst(rooms, lat, lng).slice(0, WANTED);
  return {
    name: 'near, rated, cheap, with a photo',
    text: 'Which of the five flats for rent nearest to -23.5505, -46.6333 with a rating of at least 4.8 and a price of at most R$ 150 have a photo?',
    expected: firstIds(nearest.filter(({ hasImage }) => hasImage)),
    before: { calls: 12 },
    byTools: async (tools) => {
      const { items } = await tools.search({ ad_type: 'rent', ...filters, detail: 'detailed' });
      return firstIds(items.filter(({ image }) => image !== undefined));
    },
    byFeed: async (feed) => {
      const { data } = await feed.page('rent', { ...filters, pageSize: WANTED });
      return firstIds(data.filter(({ images = [] }) => images.length > 0));
    },
  };
}

/** Two cities with the same name. */
export function cityInTwoStates({ listings }: AskedMarket): Question {
  const filters = { sub_category: 'apartamento' };
  const [city, state] = ['Bonito', 'MS'];
  const all = select(listings, { city: slugOf(city), subCategory: filters.sub_category });
  const states = (items: readonly { state?: string }[]) =>
    [...new Set(items.map((item) => item.state?.toUpperCase()))].sort().join(' ');
  return {
    name: 'city in two states',
    text: 'Procuro um apartamento em Bonito. Quais são os três mais recentes perto das grutas de Mato Grosso do Sul?',
    expected: {
      ...firstIds(
        all.filter((each) => each.state === slugOf(state)),
        WANTED_STAYS,
      ),
      facts: { states: states(all) },
    },
    byTools: async (tools) => {
      const { items: some } = await tools.search({ ...filters, city, limit: 10 });
      const { items } = await tools.search({ ...filters, city: `${city}, ${state}`, limit: WANTED_STAYS });
      return { ...firstIds(items, WANTED_STAYS), facts: { states: states(some) } };
    },
    byFeed: async (feed) => {
      const { data: some } = await feed.page('', { ...filters, city, pageSize: 10 });
      const { data } = await feed.page('', { ...filters, city: `${city}, ${state}`, pageSize: WANTED_STAYS });
      return {
        ...firstIds(data, WANTED_STAYS),
        facts: { states: states(some.map(({ location }) => location)) },
      };
    },
  };
}

/** A city with its state in one string. */
export function cityWithState({ listings }: AskedMarket): Question {
  const filters = { city: 'Curitiba, PR', category: 'temporada' };
  return {
    name: 'city with its state',
    text: 'What are the three newest holiday rentals in Curitiba, PR?',
    expected: firstIds(
      select(listings, { adType: 'rent', city: 'curitiba', state: 'pr', category: filters.category }),
      WANTED_STAYS,
    ),
    byTools: async (tools) =>
      firstIds(
        (await tools.search({ ad_type: 'rent', ...filters, limit: WANTED_STAYS })).items,
        WANTED_STAYS,
      ),
    byFeed: async (feed) =>
      firstIds((await feed.page('rent', { ...filters, pageSize: WANTED_STAYS })).data, WANTED_STAYS),
  };
}

/**
 * Part of a city's name. The model that reads the feed knows the whole name, which the feed does not offer.
 */
const partOfName =
  (said: string, official: string) =>
  ({ listings }: AskedMarket): Question => {
    const asked = { ad_type: 'rent', category: 'temporada' };
    const { category } = asked;
    return {
      name: `city that people call ${said}`,
      text: `Quais são os três anúncios de temporada mais recentes em ${said}?`,
      expected: firstIds(select(listings, { adType: 'rent', city: official, category }), WANTED_STAYS),
      byTools: async (tools) => {
        const { suggestions } = await tools.search({ ...asked, city: said });
        const city = suggestions?.city?.[0]?.value ?? '';
        return firstIds((await tools.search({ ...asked, city, limit: WANTED_STAYS })).items, WANTED_STAYS);
      },
      byFeed: async (feed) => {
        await feed.page('rent', { category, city: said, pageSize: WANTED_STAYS });
        const { data } = await feed.page('rent', { category, city: official, pageSize: WANTED_STAYS });
        return firstIds(data, WANTED_STAYS);
      },
    };
  };

export const rio = partOfName('Rio', 'rio-de-janeiro');
export const foz = partOfName('Foz', 'foz-do-iguacu');
export const camboriu = partOfName('Camboriú', 'balneario-camboriu');
