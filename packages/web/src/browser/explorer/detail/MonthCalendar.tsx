import { useState } from 'preact/hooks';
import { nextMonth } from '../../components/calendar-dates.ts';
import type { Availability } from '../feed-page.ts';
import { MonthTable } from '../MonthTable.tsx';
import { useWords } from '../use-words.ts';

export interface MonthCalendarProps {
  /** The dates, in ascending order. */
  calendar: readonly Availability[];
  /** The dates of the request, if any. */
  first: string | undefined;
  last: string | undefined;
}

/** The calendar of a listing, one month at a time, with the price of each free date. */
export function MonthCalendar({ calendar, first, last }: MonthCalendarProps) {
  const { texts, plural, money, dateText } = useWords();
  const begin = calendar[0]?.date.slice(0, 7) ?? '';
  const end = calendar.at(-1)?.date.slice(0, 7) ?? '';
  const wanted = first?.slice(0, 7) ?? begin;
  const [month, setMonth] = useState(wanted >= begin && wanted <= end ? wanted : begin);
  const days = new Map(calendar.map((day) => [day.date, day]));
  const free = calendar.filter(({ date, available }) => available && date.startsWith(month));
  const lowest = Math.min(...free.map(({ price }) => price));
  return (
    <div class="stack month">
      <MonthTable
        month={month}
        first={begin}
        last={end}
        weekdays="short"
        onTurn={(months) => setMonth(nextMonth(month, months))}
        note={
          <p class="soft small number">
            {plural(free.length, texts.freeDates)}
            {free.length > 0 && `, ${texts.startingAt} ${money(lowest)}`}
          </p>
        }
      >
        {(date) => {
          const day = days.get(date);
          const state = dateState(day);
          const isChosen = first !== undefined && date >= first && date <= (last ?? first);
          return (
            <td key={date} class={isChosen ? `${state} chosen` : state}>
              <span aria-hidden="true">{Number(date.slice(8))}</span>
              <span class="hidden-text">
                {dateText(date)}: {texts[state]}
                {isChosen && `, ${texts.chosen}`}
              </span>
              <span class="day-price">{day?.available && money(day.price).replace(/^R\$\s?/, '')}</span>
            </td>
          );
        }}
      </MonthTable>
    </div>
  );
}

/** Whether a date is free. A calendar does not contain every date. */
export const dateState = (day: Availability | undefined): 'free' | 'taken' | 'unknown' =>
  day === undefined ? 'unknown' : day.available ? 'free' : 'taken';
