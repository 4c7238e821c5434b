import { BarChart } from '../../components/charts/BarChart.tsx';
import { dateText, money } from '../../components/format.ts';
import { number, plural } from '../../components/words/words.ts';
import type { FeedBody } from '../feed-page.ts';
import { datesText } from '../filters/active-filters.ts';
import type { SearchState } from '../search-state.ts';
import { useWords } from '../use-words.ts';

export interface NeighborDatesProps {
  state: SearchState & { date: string };
  /** Undefined until the answer arrives. The space of the bars is reserved. */
  meta: FeedBody['meta'] | undefined;
  /** Moves to one date. A range keeps its length. */
  onMove(date: string): void;
  /** Moves to a stay. */
  onStay(from: string, to: string): void;
}

/**
 * The dates around the chosen dates with their free listings and lowest price (`meta.availability`). If the request
 * asks for stays, these are whole stays with their lowest total (`meta.stays`).
 */
export function NeighborDates({ state, meta, onMove, onStay }: NeighborDatesProps) {
  const { texts, language } = useWords();
  const { date, date_to: dateTo = date, nights, sort } = state;
  const isLimited = (state.min_total_price ?? state.max_total_price) !== undefined;
  const areStays = isLimited || nights !== undefined || sort === 'total_price';
  const { stays = [], availability = [] } = meta ?? {};
  const entries = areStays
    ? stays.map(({ from, to, items, min_total_price: lowest }) => ({ from, to, items, lowest }))
    : availability.map(({ date: day, items, min_price: lowest }) => ({ from: day, to: day, items, lowest }));
  const title = areStays ? texts.otherStays : texts.neighbors;
  return (
    <section class="card stack neighbors" aria-labelledby="neighbors">
      <h2 id="neighbors">{title}</h2>
      <p class="soft small">
        {areStays ? texts.otherStaysHint : texts.neighborsHint} {isLimited && texts.unlimitedStays}
      </p>
      <BarChart
        label={title}
        bars={entries.map(({ from, to, items, lowest }) => {
          const price = lowest === undefined ? undefined : money(lowest, language);
          return {
            key: from,
            label: dateText(from, language, { day: 'numeric', month: 'short' }),
            value: items,
            caption: number(language, items),
            ...(price !== undefined && { note: price }),
            title: [
              `${areStays ? datesText(from, to, language) : dateText(from, language)}: ${plural(language, items, texts.freeListings)}`,
              ...(price === undefined ? [] : [`${texts.startingAt} ${price}`]),
            ].join(', '),
            isMarked: areStays ? from === date && to === dateTo : from >= date && from <= dateTo,
          };
        })}
        onChoose={(chosen) => {
          const stay = areStays && stays.find(({ from }) => from === chosen);
          if (stay) onStay(stay.from, stay.to);
          else onMove(chosen);
        }}
      />
    </section>
  );
}
