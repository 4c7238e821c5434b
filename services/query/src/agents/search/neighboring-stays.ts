import { addDays } from '../../request/calendar-dates.ts';
import type { StayOffers } from '../../stored/found-page.ts';
import { identifier, joined, type Shown, say } from '../answer-text.ts';

/** The listings that are free for one whole stay, as in `meta.stays` of the agent feed. */
interface NeighboringStay {
  /** YYYY-MM-DD. */
  from: string;
  /** The last night. */
  to: string;
  items: number;
  min_total_price?: number;
  max_total_price?: number;
}

/** The members of an answer about other stays of the same length. */
export interface NeighboringStays {
  neighbouring_stays: NeighboringStay[];
  /** The number of further first nights with a free listing. */
  neighbouring_stays_left_out?: number;
}

/** Maximum number of first nights in the answer about a flexible stay. */
const MAX_FIRST_NIGHTS = 7;

/**
 * Returns the shifts of a range, including those without a free listing.
 * @param starts the first nights, as YYYY-MM-DD
 * @param offers the offers of the stays that have a free listing
 */
export const shiftedStays = (
  starts: readonly string[],
  nights: number,
  offers: readonly StayOffers[],
): NeighboringStays => ({
  neighbouring_stays: starts.map((from) => {
    const found = offers.find((offer) => offer.from === from);
    return found ? entryOf(found) : { from, to: addDays(from, nights - 1), items: 0 };
  }),
});

/**
 * Returns the cheapest first nights of a flexible stay.
 * @param offers the offers of the stays that have a free listing
 */
export function cheapestStays(offers: readonly StayOffers[]): NeighboringStays {
  const free = offers.toSorted((a, b) => a.minTotal - b.minTotal || (a.from < b.from ? -1 : 1)).map(entryOf);
  return {
    neighbouring_stays: free.slice(0, MAX_FIRST_NIGHTS),
    ...(free.length > MAX_FIRST_NIGHTS && { neighbouring_stays_left_out: free.length - MAX_FIRST_NIGHTS }),
  };
}

const entryOf = ({ from, to, items, minTotal, maxTotal }: StayOffers): NeighboringStay => ({
  from,
  to,
  items,
  min_total_price: minTotal,
  max_total_price: maxTotal,
});

/**
 * Returns one line with the stays for which listings are free. It names stays without a free listing
 * separately.
 * @param nights the length of the stay
 */
export function staysText(
  { neighbouring_stays: stays, neighbouring_stays_left_out: leftOut }: NeighboringStays,
  nights: number,
  isFlexible: boolean,
): Shown[] {
  const length = nights === 1 ? say`the night` : say`all ${nights} nights`;
  const free = stays.filter(({ items }) => items > 0);
  if (free.length === 0)
    return [
      say`neighbouring_stays: no listing is known to be free for ${length} ${isFlexible ? 'of any stay within these dates' : 'on these dates or up to 3 days before or after'}`,
    ];
  const taken = stays.filter(({ items }) => items === 0);
  const offers = free.map(
    ({ from, items, min_total_price = 0, max_total_price = 0 }) =>
      say`${monthAndDay(from)}: ${items} (${min_total_price}-${max_total_price})`,
  );
  return [
    joined(
      [
        say`neighbouring_stays${isFlexible ? ', cheapest first' : ''}, by first night: listings free for ${length} (lowest-highest total): ${joined(offers, ', ')}`,
        ...(taken.length > 0
          ? [
              say`no listing is known to be free for ${length} from: ${joined(
                taken.map(({ from }) => monthAndDay(from)),
                ', ',
              )}`,
            ]
          : []),
        ...(leftOut ? [say`${leftOut} further stays, none cheaper, left out`] : []),
      ],
      '; ',
    ),
  ];
}

const monthAndDay = (date: string): Shown => identifier(date.slice(5));
