import type { AskedMarket, Question } from '../question.ts';
import { isFree, wholeCalendar } from './one-listing.ts';
import { bestRated, changedPrices, cheapestCity, whichAreFree } from './people/comparisons.ts';
import { camboriu, cityInTwoStates, cityWithState, foz, rio, roomWithPhoto } from './people/places.ts';
import { anyThreeNights, betterDates, budgetOfStay, cheapestFlat, unknownWeek } from './people/totals.ts';
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

/** The fifteen questions that people put to release 1.1.0, about a market of at least 3,000 listings. */
export const questionsOfPeople = (market: AskedMarket): Question[] =>
  [
    cheapestFlat,
    anyThreeNights,
    budgetOfStay,
    betterDates,
    roomWithPhoto,
    changedPrices,
    cityInTwoStates,
    unknownWeek,
    cityWithState,
    rio,
    foz,
    camboriu,
    bestRated,
    whichAreFree,
    cheapestCity,
  ].map((ask) => ask(market));
