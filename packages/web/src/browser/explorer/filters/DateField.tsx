import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import {
  addDays,
  addMonths,
  daysBetween,
  nextMonth,
  todayInBrazil,
  weekday,
  weeksOf,
} from '../../components/calendar-dates.ts';
import { dateText } from '../../components/format.ts';
import { usePreferences, useTexts } from '../../components/preferences.ts';
import { plural } from '../../components/words/words.ts';
import { maxDates, type StateChange } from '../search-state.ts';
import { TEXTS } from '../texts.ts';
import { datesText } from './active-filters.ts';
import { SelectField } from './SelectField.tsx';
import { FILTER_TEXTS } from './texts.ts';

export interface DateFieldProps {
  date: string | undefined;
  dateTo: string | undefined;
  /** The length of a flexible stay. The dates are then a window. */
  nights: number | undefined;
  onChange(change: StateChange): void;
}

/** The keys of the WAI-ARIA Authoring Practices for a calendar. */
const MOVES: Record<string, (day: string) => string> = {
  ArrowLeft: (day) => addDays(day, -1),
  ArrowRight: (day) => addDays(day, 1),
  ArrowUp: (day) => addDays(day, -7),
  ArrowDown: (day) => addDays(day, 7),
  Home: (day) => addDays(day, -weekday(day)),
  End: (day) => addDays(day, 6 - weekday(day)),
  PageUp: (day) => addMonths(day, -1),
  PageDown: (day) => addMonths(day, 1),
};
/** The most nights that a flexible stay may have. docs/reference/rules.md#stays. */
const MAX_NIGHTS = 30;
/** A Sunday, with which the names of the days begin. */
const SUNDAY = '2026-11-01';

/**
 * A month calendar for a date or a range. The first choice is the first date, and the second choice is the last date.
 * One tab stop leads to the days, and the arrow keys move among them.
 */
export function DateField({ date, dateTo, nights, onChange }: DateFieldProps) {
  const texts = useTexts(TEXTS);
  const filterTexts = useTexts(FILTER_TEXTS);
  const { language } = usePreferences();
  const id = useId();
  const today = todayInBrazil();
  // A day of the past has no button that can have the focus.
  const notPast = (day: string) => (day < today ? today : day);
  const [focused, setFocused] = useState(notPast(date ?? today));
  const [pending, setPending] = useState<string>();
  const grid = useRef<HTMLTableElement>(null);
  const moved = useRef(false);
  const month = focused.slice(0, 7);
  const [first, last] = pending === undefined ? [date, dateTo ?? date] : [pending, pending];

  useEffect(() => setFocused(notPast(date ?? today)), [date]);
  // Before the next key arrives.
  useLayoutEffect(() => {
    if (moved.current) grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
    moved.current = false;
  }, [focused]);

  const choose = (day: string) => {
    setFocused(day);
    if (pending !== undefined && day >= pending && daysBetween(pending, day) < maxDates(nights)) {
      setPending(undefined);
      onChange({ date: pending, date_to: day === pending ? undefined : day });
    } else setPending(day);
  };
  const turn = (months: number) => setFocused(notPast(`${nextMonth(month, months)}-01`));
  const onKeyDown = (event: KeyboardEvent) => {
    const move = MOVES[event.key];
    if (move === undefined) return;
    event.preventDefault();
    moved.current = true;
    setFocused((day) => notPast(move(day)));
  };
  const shown = date === undefined ? texts.anyDate : datesText(date, dateTo, language);

  return (
    <fieldset class="field">
      <legend class="hidden-text">{texts.dates}</legend>
      <div class="row spread">
        <span class="label" id={`${id}-label`}>
          {texts.dates}: <strong>{shown}</strong>
        </span>
        {(date !== undefined || pending !== undefined) && (
          <button
            type="button"
            class="button compact quiet"
            onClick={() => {
              setPending(undefined);
              onChange({ date: undefined });
            }}
          >
            {texts.clear}
          </button>
        )}
      </div>
      <div class="calendar">
        <div class="row spread">
          <button
            type="button"
            class="button compact quiet"
            aria-label={texts.previousMonth}
            disabled={month <= today.slice(0, 7)}
            onClick={() => turn(-1)}
          >
            ‹
          </button>
          <strong aria-live="polite">
            {dateText(`${month}-01`, language, { month: 'long', year: 'numeric' })}
          </strong>
          <button
            type="button"
            class="button compact quiet"
            aria-label={texts.nextMonth}
            onClick={() => turn(1)}
          >
            ›
          </button>
        </div>
        <table ref={grid} aria-labelledby={`${id}-label`} onKeyDown={onKeyDown}>
          <thead>
            <tr>
              {Array.from({ length: 7 }, (_, day) => addDays(SUNDAY, day)).map((day) => (
                <th key={day} scope="col" abbr={dateText(day, language, { weekday: 'long' })}>
                  {dateText(day, language, { weekday: 'narrow' })}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {weeksOf(month).map((week) => (
              <tr key={week.find(Boolean)}>
                {week.map((day, index) =>
                  day === undefined ? (
                    <td key={index} />
                  ) : (
                    <td key={day}>
                      <button
                        type="button"
                        class={dayClass(day, first, last)}
                        tabIndex={day === focused ? 0 : -1}
                        disabled={day < today}
                        aria-label={dateText(day, language, { dateStyle: 'full' })}
                        aria-current={day === today ? 'date' : undefined}
                        aria-pressed={isChosen(day, first, last)}
                        data-date={day}
                        onClick={() => choose(day)}
                      >
                        {Number(day.slice(8))}
                      </button>
                    </td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
        <p class="soft small" aria-live="polite">
          {pending === undefined ? texts.chooseFirst : texts.chooseLast}
        </p>
      </div>
      <SelectField
        label={filterTexts.nights}
        none={filterTexts.allNights}
        value={nights === undefined ? undefined : String(nights)}
        isDisabled={date === undefined}
        options={Array.from({ length: MAX_NIGHTS }, (_, index) => ({
          value: String(index + 1),
          label: plural(language, index + 1, filterTexts.someNights),
        }))}
        nameOf={(value) => value}
        onChange={(value) => onChange({ nights: value === undefined ? undefined : Number(value) })}
      />
    </fieldset>
  );
}

const isChosen = (day: string, first: string | undefined, last: string | undefined): boolean =>
  first !== undefined && day >= first && day <= (last ?? first);

function dayClass(day: string, first: string | undefined, last: string | undefined): string {
  if (!isChosen(day, first, last)) return 'day';
  return day === first || day === last ? 'day chosen end' : 'day chosen';
}
