import { daysBetween } from '../components/calendar-dates.ts';
import { BarChart } from '../components/charts/BarChart.tsx';
import { count, dateText, money } from '../components/format.ts';
import { usePreferences, useTexts } from '../components/preferences.ts';
import type { DateSummary } from './feed-page.ts';
import { TEXTS } from './texts.ts';

export interface NeighborDatesProps {
  dates: readonly DateSummary[];
  date: string;
  dateTo: string | undefined;
  /** Moves the first date. A range keeps its length. */
  onMove(date: string): void;
}

/** The dates around the chosen dates with their free listings and lowest price (`meta.availability`). */
export function NeighborDates({ dates, date, dateTo = date, onMove }: NeighborDatesProps) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  return (
    <section class="card stack" aria-labelledby="neighbors">
      <h2 id="neighbors">{texts.neighbors}</h2>
      <p class="soft small">{texts.neighborsHint}</p>
      <BarChart
        label={texts.neighbors}
        bars={dates.map(({ date: day, items, min_price }) => ({
          key: day,
          label: dateText(day, language, { day: 'numeric', month: 'short' }),
          value: items,
          caption: count(items, language),
          ...(min_price !== undefined && { note: money(min_price, language) }),
          title: texts.dateSummary(
            dateText(day, language),
            items,
            min_price === undefined ? undefined : money(min_price, language),
          ),
          isMarked: day >= date && daysBetween(day, dateTo) >= 0,
        }))}
        onChoose={onMove}
      />
    </section>
  );
}
