import type { AskedMarket, Question } from '../question.ts';
import { isFree, wholeCalendar } from './one-listing.ts';
import { cheapestNight, impossiblePrice, priceBand } from './prices.ts';
import { cheapStay, movableDates, nearestRentals, nicknamedCity } from './stays.ts';
import { citiesWithCounts, servicesByCategory, servicesInCity } from './values.ts';

/** The twelve questions about a market of at least 3,000 listings. */
export const questionsAbout = (market: AskedMarket): Question[] =>
  [
    cheapStay,
    nearestRentals,
    cheapestNight,
    isFree,
    citiesWithCounts,
    nicknamedCity,
    impossiblePrice,
    wholeCalendar,
    servicesInCity,
    priceBand,
    movableDates,
    servicesByCategory,
  ].map((ask) => ask(market));
