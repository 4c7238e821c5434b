import { dateAfter, daysAfter, slugOf } from '../../oracle/oracle-listing.ts';
import { type Range, select } from '../../oracle/selection.ts';
import { cheapestFirst, cheapestStay, type PricedStay, stayOn } from '../../oracle/stays.ts';
import { type AskedMarket, firstIds, type Question, WANTED_STAYS } from '../../question.ts';

/** A stay as both interfaces name it. */
interface FoundStay {
  id: string;
  total_price?: number | undefined;
  stay?: { from: string; to: string; total_price: number };
}

const brl = (cents: number): string => (cents / 100).toFixed(2);

/** The first listings with their stays. */
const factsOf = (stays: readonly { id: string; text: string }[]) => ({
  ids: stays.slice(0, WANTED_STAYS).map(({ id }) => id),
  facts: {
    stays: stays
      .slice(0, WANTED_STAYS)
      .map(({ text }) => text)
      .join(', '),
  },
});
const totalsExpected = (stays: readonly PricedStay[]) =>
  factsOf(stays.map(({ listing, cents }) => ({ id: listing.id, text: brl(cents) })));
const totalsFound = (items: readonly FoundStay[]) =>
  factsOf(items.map(({ id, total_price = Number.NaN }) => ({ id, text: total_price.toFixed(2) })));

const sum = (nights: readonly { price: number }[]) => nights.reduce((total, { price }) => total + price, 0);

/** The cheapest flats in a city for three nights. */
export function cheapestFlat({ listings, today }: AskedMarket): Question {
  const filters = {
    city: 'Curitiba',
    sub_category: 'apartamento',
    date: '2026-12-18',
    date_to: '2026-12-20',
    sort: 'total_price',
  };
  const dates = [daysAfter(today, filters.date), daysAfter(today, filters.date_to)] as const;
  const flats = select(listings, {
    adType: 'rent',
    city: slugOf(filters.city),
    subCategory: filters.sub_category,
  });
  return {
    name: 'cheapest flat for three nights',
    text: 'Quais são os três apartamentos mais baratos em Curitiba para as noites de 18, 19 e 20 de dezembro?',
    expected: totalsExpected(cheapestFirst(flats.map((flat) => stayOn(flat, dates)))),
    before: { calls: 50, tokens: 149_915 },
    byTools: async (tools) => totalsFound(await tools.find({ ad_type: 'rent', ...filters }, WANTED_STAYS)),
    byFeed: async (feed) => {
      const { data } = await feed.page('rent', { ...filters, pageSize: WANTED_STAYS });
      return totalsFound(data.map(({ id, availability }) => ({ id, total_price: sum(availability) })));
    },
  };
}

/** Any three nights in a month. */
export function anyThreeNights({ listings, today }: AskedMarket): Question {
  const nights = 3;
  const filters = {
    city: 'Florianópolis',
    sub_category: 'casa-de-praia',
    date: '2027-01-01',
    date_to: '2027-01-31',
    nights,
    sort: 'total_price',
  };
  const window = [daysAfter(today, filters.date), daysAfter(today, filters.date_to)] as const;
  const houses = select(listings, {
    adType: 'rent',
    city: slugOf(filters.city),
    subCategory: filters.sub_category,
  });
  const found = (items: readonly FoundStay[]) =>
    factsOf(
      items.map(({ id, stay }) => ({
        id,
        text: stay ? `${stay.from} to ${stay.to} ${stay.total_price.toFixed(2)}` : 'none',
      })),
    );
  return {
    name: 'any three nights of a month',
    text: 'I can take any three nights in January. Which three beach houses in Florianópolis are cheapest, and when?',
    expected: factsOf(
      cheapestFirst(houses.map((house) => cheapestStay(house, window, nights))).map(
        ({ listing, first, last, cents }) => ({
          id: listing.id,
          text: `${dateAfter(today, first)} to ${dateAfter(today, last)} ${brl(cents)}`,
        }),
      ),
    ),
    before: { calls: 29, tokens: 56_005 },
    byTools: async (tools) => found(await tools.find({ ad_type: 'rent', ...filters }, WANTED_STAYS)),
    byFeed: async (feed) => found((await feed.page('rent', { ...filters, pageSize: WANTED_STAYS })).data),
  };
}

/** A limit on the whole stay, and not on the listing's own price. */
export function budgetOfStay({ listings, today }: AskedMarket): Question {
  const filters = {
    city: 'Rio de Janeiro',
    sub_category: 'chale',
    date: '2026-12-11',
    date_to: '2026-12-12',
    max_total_price: 900,
  };
  const dates = [daysAfter(today, filters.date), daysAfter(today, filters.date_to)] as const;
  const chalets = select(listings, {
    adType: 'rent',
    city: slugOf(filters.city),
    subCategory: filters.sub_category,
    dates,
  });
  const withinBudget = chalets.filter(
    (chalet) => (stayOn(chalet, dates)?.cents ?? Infinity) <= filters.max_total_price * 100,
  );
  const expected = { ...firstIds(withinBudget, WANTED_STAYS), facts: { total: withinBudget.length } };
  return {
    name: 'budget of a whole stay',
    text: 'Quais os três chalés mais recentes no Rio de Janeiro para as noites de 11 e 12 de dezembro, por até R$ 900 no total? Quantos são?',
    expected,
    byTools: async (tools) => {
      const { items, total } = await tools.search({ ad_type: 'rent', ...filters, limit: WANTED_STAYS });
      return { ...firstIds(items, WANTED_STAYS), facts: { total } };
    },
    byFeed: async (feed) => {
      const { data, meta } = await feed.page('rent', { ...filters, pageSize: WANTED_STAYS });
      return { ...firstIds(data, WANTED_STAYS), facts: { total: meta.total } };
    },
  };
}

/** Other dates for a whole stay of five nights. */
export function betterDates({ listings, today }: AskedMarket): Question {
  const filters = {
    city: 'Gramado',
    sub_category: 'chale',
    date: '2026-12-26',
    date_to: '2026-12-30',
  };
  const [first, last] = [daysAfter(today, filters.date), daysAfter(today, filters.date_to)];
  const chalets = select(listings, {
    adType: 'rent',
    city: slugOf(filters.city),
    subCategory: filters.sub_category,
  });
  const text = (from: string, items: number, lowest?: number) =>
    items === 0 ? `${from}: none` : `${from}: ${items} from ${lowest?.toFixed(2)}`;
  const expected = [-3, -2, -1, 0, 1, 2, 3].map((shift) => {
    const range: Range = [first + shift, last + shift];
    const stays = cheapestFirst(chalets.map((chalet) => stayOn(chalet, range)));
    return text(dateAfter(today, range[0]), stays.length, (stays[0]?.cents ?? 0) / 100);
  });
  const found = (stays: readonly { from: string; items: number; min_total_price?: number }[] = []) => ({
    ids: [],
    facts: {
      stays: stays.map(({ from, items, min_total_price }) => text(from, items, min_total_price)).join(', '),
    },
  });
  return {
    name: 'better dates for five nights',
    text: 'I want a chalet in Gramado for five nights from 26 December. On which dates up to three days earlier or later are more of them free for the whole stay, and from which total?',
    expected: { ids: [], facts: { stays: expected.join(', ') } },
    byTools: async (tools) =>
      found((await tools.search({ ad_type: 'rent', ...filters, limit: 1 })).neighbouring_stays),
    // A limit on the total adds the other stays to a page. This limit excludes no listing.
    byFeed: async (feed) =>
      found((await feed.page('rent', { ...filters, min_total_price: 0, pageSize: 1 })).meta.stays),
  };
}

/** Dates after the end of every calendar: these dates are unknown, not taken. */
export function unknownWeek({ listings, today }: AskedMarket): Question {
  const filters = { city: 'Recife', category: 'temporada', date: '2027-04-05', date_to: '2027-04-11' };
  const matching = select(listings, {
    adType: 'rent',
    city: slugOf(filters.city),
    category: filters.category,
  });
  const last = daysAfter(today, filters.date_to);
  const unknown = matching.filter(({ until }) => until < last).length;
  return {
    name: 'week after the calendars',
    text: 'Há alguma casa de temporada livre em Recife de 5 a 11 de abril de 2027? Se não, estão todas ocupadas?',
    expected: { ids: [], facts: { total: matching.length - unknown, unknown } },
    byTools: async (tools) => {
      const { total, calendar_unknown = 0 } = await tools.search({ ad_type: 'rent', ...filters });
      return { ids: [], facts: { total, unknown: calendar_unknown } };
    },
  };
}
