import { CLOSED, centsOf, dateAfter, daysAfter, slugOf } from '../oracle/oracle-listing.ts';
import { offersOn, select } from '../oracle/selection.ts';
import { type AskedMarket, firstIds, type Question, WANTED } from '../question.ts';

/** The cheapest night in a week, and the newest listing with that price. */
export function cheapestNight({ listings, today }: AskedMarket): Question {
  const filters = { city: 'Gramado', category: 'temporada' };
  const [middle, first, last] = ['2026-12-18', '2026-12-15', '2026-12-21'].map((date) =>
    daysAfter(today, date),
  ) as [number, number, number];
  const date = dateAfter(today, middle);
  const matching = select(listings, {
    adType: 'rent',
    city: slugOf(filters.city),
    category: filters.category,
  });
  const week = Array.from({ length: last - first + 1 }, (_, offset) => ({
    day: first + offset,
    ...offersOn(matching, first + offset),
  }));
  const best = week.reduce((a, b) => ((b.minCents ?? Infinity) < (a.minCents ?? Infinity) ? b : a));
  const newest = matching.filter(({ nights }) => (nights[best.day] ?? CLOSED) === best.minCents);
  const cheapest = (dates: readonly { date: string; min_price?: number }[] = []) =>
    dates.reduce((a, b) => ((b.min_price ?? Infinity) < (a.min_price ?? Infinity) ? b : a));
  return {
    name: 'cheapest night of a week',
    text: 'Qual é a noite mais barata para uma estadia de temporada em Gramado, de 15 a 21 de dezembro, e em qual anúncio?',
    expected: {
      ...firstIds(newest, 1),
      facts: { date: dateAfter(today, best.day), cents: best.minCents ?? 0 },
    },
    byTools: async (tools) => {
      const asked = { ad_type: 'rent', ...filters };
      const { neighbouring_dates } = await tools.search({ ...asked, date, limit: 1 });
      const { date: night, min_price = 0 } = cheapest(neighbouring_dates);
      // The list price of the cheapest night's listing is at most the price of that night.
      const { items } = await tools.search({ ...asked, date: night, max_price: min_price });
      const found = items.filter(({ total_price }) => total_price === min_price);
      return { ...firstIds(found, 1), facts: { date: night, cents: centsOf(min_price) } };
    },
    byFeed: async (feed) => {
      const { meta } = await feed.page('rent', { ...filters, date, pageSize: 1 });
      const { date: night, min_price = 0 } = cheapest(meta.availability);
      const isCheapest = ({ availability }: { availability: { price: number }[] }) =>
        availability[0]?.price === min_price;
      const found = await feed.find('rent', { ...filters, date: night, pageSize: 20 }, 1, isCheapest);
      return { ...firstIds(found, 1), facts: { date: night, cents: centsOf(min_price) } };
    },
  };
}

/**
 * A price that no listing has. The answer names the condition that leaves nothing, and what would remain
 * without this condition.
 */
export function impossiblePrice({ listings, today }: AskedMarket): Question {
  const [date, date_to, max_price] = ['2026-12-19', '2026-12-20', 90];
  const filters = { city: 'Rio de Janeiro', sub_category: 'chale', date, date_to };
  const matching = select(listings, {
    adType: 'rent',
    city: slugOf(filters.city),
    subCategory: filters.sub_category,
    dates: [daysAfter(today, date), daysAfter(today, date_to)],
  });
  const factsOf = (total: number, withoutPrice: number) => ({
    total,
    'total without max_price': withoutPrice,
  });
  return {
    name: 'impossible price',
    text: 'I need a chalet in Rio de Janeiro on 19 and 20 December for at most R$ 90. If there is none, why?',
    expected: {
      ids: [],
      facts: factsOf(select(matching, { maxCents: max_price * 100 }).length, matching.length),
    },
    byTools: async (tools) => {
      const { total, without } = await tools.search({ ad_type: 'rent', ...filters, max_price });
      const withoutPrice = without?.find(({ filter }) => filter === 'max_price')?.total ?? Number.NaN;
      return { ids: [], facts: factsOf(total, withoutPrice) };
    },
    byFeed: async (feed) => {
      // The date's lowest price shows that no listing is cheap enough, so no item has to be read.
      const { meta } = await feed.page('rent', { ...filters, pageSize: 1 });
      const lowest = meta.availability?.find((each) => each.date === date)?.min_price ?? Infinity;
      return { ids: [], facts: factsOf(lowest > max_price ? 0 : Number.NaN, meta.total) };
    },
  };
}

/** Homes for sale within a price band. The feed cannot filter by price. */
export function priceBand({ listings }: AskedMarket): Question {
  const filters = { city: 'São Paulo', category: 'imoveis', sub_category: 'apartamento' };
  const [min_price, max_price] = [300_000, 450_000];
  return {
    name: 'homes for sale by price band',
    text: 'Quais são os apartamentos à venda mais recentes em São Paulo, de R$ 300 mil a R$ 450 mil?',
    expected: firstIds(
      select(listings, {
        adType: 'sale',
        city: slugOf(filters.city),
        category: filters.category,
        subCategory: filters.sub_category,
        minCents: min_price * 100,
        maxCents: max_price * 100,
      }),
    ),
    byTools: async (tools) =>
      firstIds((await tools.search({ ad_type: 'sale', ...filters, min_price, max_price })).items),
    byFeed: async (feed) =>
      firstIds(
        await feed.find(
          'sale',
          { ...filters, pageSize: 20 },
          WANTED,
          ({ price }) => price >= min_price && price <= max_price,
        ),
      ),
  };
}
