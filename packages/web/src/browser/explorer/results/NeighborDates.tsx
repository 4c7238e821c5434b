import { requestedStay } from '../detail/prices.ts';
import type { FeedBody } from '../feed-page.ts';
import { datesText } from '../filters/active-filters.ts';
import type { SearchState } from '../search-state.ts';
import { useWords } from '../use-words.ts';

export interface NeighborDatesProps {
  state: SearchState & { date: string };
  /** The member is undefined until the response arrives. The space for the bars is reserved. */
  meta: FeedBody['meta'] | undefined;
  /** Moves to one date. A range keeps its length. */
  onMove(date: string): void;
  /** Moves to a stay. */
  onStay(from: string, to: string): void;
}

/**
 * The dates around the chosen dates with their free listings and lowest price (`meta.availability`). If the
 * request asks for stays, the bars show whole stays with their lowest totals (`meta.stays`).
 */
export function NeighborDates({ state, meta, onMove, onStay }: NeighborDatesProps) {
  const { texts, language, number, plural, money, dateText } = useWords();
  const { date, nights, sort } = state;
  const dateTo = requestedStay(state)?.last ?? date;
  const isLimited = (state.min_total_price ?? state.max_total_price) !== undefined;
  const areStays = isLimited || nights !== undefined || sort === 'total_price';
  const { stays = [], availability = [] } = meta ?? {};
  const entries = areStays
    ? stays.map(({ from, to, items, min_total_price: lowest }) => ({ from, to, items, lowest }))
    : availability.map(({ date: day, items, min_price: lowest }) => ({ from: day, to: day, items, lowest }));
  const most = Math.max(1, ...entries.map(({ items }) => items));
  const title = areStays ? texts.otherStays : texts.neighbors;
  return (
    <section class="card stack neighbors" aria-labelledby="neighbors">
      <h2 id="neighbors">{title}</h2>
      <p class="soft small">
        {areStays ? texts.otherStaysHint : texts.neighborsHint} {isLimited && texts.unlimitedStays}
      </p>
      <fieldset class="bars" aria-label={title}>
        {entries.map(({ from, to, items, lowest }) => {
          const price = lowest === undefined ? undefined : money(lowest);
          const dates = areStays ? datesText(from, to, language) : dateText(from);
          const free = plural(items, texts.freeListings);
          const isMarked = areStays ? from === date && to === dateTo : from >= date && from <= dateTo;
          return (
            <button
              key={from}
              type="button"
              class={isMarked ? 'bar-item marked' : 'bar-item'}
              title={`${dates}: ${free}${price === undefined ? '' : `, ${texts.startingAt} ${price}`}`}
              aria-pressed={isMarked}
              onClick={() => (areStays ? onStay(from, to) : onMove(from))}
            >
              <span class="small number">{number(items)}</span>
              <svg viewBox="0 0 10 40" preserveAspectRatio="none" aria-hidden="true">
                <rect width="10" rx="1" y={40 - (items / most) * 40} height={(items / most) * 40} />
              </svg>
              <span class="small">{dateText(from, { day: 'numeric', month: 'short' })}</span>
              {price !== undefined && <span class="small soft number">{price}</span>}
            </button>
          );
        })}
      </fieldset>
    </section>
  );
}
