import { useState } from 'preact/hooks';
import { addDays, nextMonth, weeksOf } from '../../components/calendar-dates.ts';
import { dateText, money } from '../../components/format.ts';
import { usePreferences, useTexts } from '../../components/preferences.ts';
import { number, plural } from '../../components/words/words.ts';
import type { Availability } from '../feed-page.ts';
import { TEXTS } from './texts.ts';

export interface MonthCalendarProps {
  /** Ascending. */
  calendar: readonly Availability[];
  /** The dates of the request, if any. */
  first: string | undefined;
  last: string | undefined;
}

/** A Sunday, with which the names of the days begin. */
const SUNDAY = '2026-11-01';

/** The calendar of a listing, one month at a time, with the price of each free date. */
export function MonthCalendar({ calendar, first, last }: MonthCalendarProps) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  const begin = calendar[0]?.date.slice(0, 7) ?? '';
  const end = calendar.at(-1)?.date.slice(0, 7) ?? '';
  const wanted = first?.slice(0, 7) ?? begin;
  const [month, setMonth] = useState(wanted >= begin && wanted <= end ? wanted : begin);
  const days = new Map(calendar.map((day) => [day.date, day]));
  const free = calendar.filter(({ date, available }) => available && date.startsWith(month));
  const prices = free.map(({ price }) => price);
  const turn = (months: number, label: string, bound: string) => (
    <button
      type="button"
      class="button compact quiet"
      aria-label={label}
      disabled={month === bound}
      onClick={() => setMonth(nextMonth(month, months))}
    >
      {months < 0 ? '‹' : '›'}
    </button>
  );
  return (
    <div class="stack month">
      <div class="row spread">
        {turn(-1, texts.previousMonth, begin)}
        <strong id="month-name" aria-live="polite">
          {dateText(`${month}-01`, language, { month: 'long', year: 'numeric' })}
        </strong>
        {turn(1, texts.nextMonth, end)}
      </div>
      <p class="soft small number">
        {free.length === 0
          ? plural(language, 0, texts.freeDates)
          : `${plural(language, free.length, texts.freeDates)}, ${texts.from} ${money(Math.min(...prices), language)}`}
      </p>
      <table aria-labelledby="month-name">
        <thead>
          <tr>
            {Array.from({ length: 7 }, (_, day) => addDays(SUNDAY, day)).map((day) => (
              <th key={day} scope="col" abbr={dateText(day, language, { weekday: 'long' })}>
                {dateText(day, language, { weekday: 'short' }).replace('.', '')}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeksOf(month).map((week) => (
            <tr key={week.find(Boolean)}>
              {week.map((date, index) =>
                date === undefined ? <td key={index} /> : <Day key={date} date={date} day={days.get(date)} />,
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );

  function Day({ date, day }: { date: string; day: Availability | undefined }) {
    const state = day === undefined ? 'unknown' : day.available ? 'free' : 'taken';
    const isChosen = first !== undefined && date >= first && date <= (last ?? first);
    return (
      <td class={isChosen ? `${state} chosen` : state}>
        <span aria-hidden="true">{Number(date.slice(8))}</span>
        <span class="hidden-text">
          {dateText(date, language)}: {texts[state]}
          {isChosen && `, ${texts.chosen}`}
        </span>
        <span class="day-price">{state === 'free' && day ? number(language, day.price) : ''}</span>
      </td>
    );
  }
}
