import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../components/Button.tsx';
import {
  addDays,
  addMonths,
  daysBetween,
  nextMonth,
  todayInBrazil,
  weekday,
} from '../../components/calendar-dates.ts';
import { MonthTable } from '../MonthTable.tsx';
import { type FilterProps, maxDates } from '../search-state.ts';
import { useWords } from '../use-words.ts';
import { datesText } from './active-filters.ts';
import { SelectField } from './Field.tsx';

/** The keys from the WAI-ARIA Authoring Practices for a calendar. */
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
/** The maximum number of nights in a flexible stay. Rule: docs/reference/rules.md#stays. */
const MAX_NIGHTS = 30;

/**
 * A month calendar for a date or a range. The first choice is the first date, and the second choice is the last date.
 * One tab stop leads to the days, and the arrow keys move among them. With a number of nights, the dates are a window
 * for a flexible stay.
 */
export function DateField({ state: { date, date_to: dateTo, nights }, onChange }: FilterProps) {
  const { texts, language, plural, dateText } = useWords();
  const id = useId();
  const today = todayInBrazil();
  // The button of a past day cannot have the focus.
  const notPast = (day: string) => (day < today ? today : day);
  const [focused, setFocused] = useState(notPast(date ?? today));
  const [pending, setPending] = useState<string>();
  const grid = useRef<HTMLTableElement>(null);
  const moved = useRef(false);
  const month = focused.slice(0, 7);
  const [first, last] = pending === undefined ? [date, dateTo ?? date] : [pending, pending];

  useEffect(() => setFocused(notPast(date ?? today)), [date]);
  // The focus must move before the next key arrives.
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
  const onKeyDown = (event: KeyboardEvent) => {
    const move = MOVES[event.key];
    if (move === undefined) return;
    event.preventDefault();
    moved.current = true;
    setFocused((day) => notPast(move(day)));
  };
  const shown = first === undefined ? texts.anyDate : datesText(first, last, language);

  return (
    <fieldset class="field" tabIndex={-1}>
      <legend class="hidden-text">{texts.dates}</legend>
      <div class="row spread">
        <span class="label" id={`${id}-label`}>
          {texts.dates}: <strong>{shown}</strong>
        </span>
        {(date !== undefined || pending !== undefined) && (
          <Button
            kind="compact quiet"
            aria-label={texts.clear}
            onClick={({ currentTarget }) => {
              // The focused button disappears.
              currentTarget.closest('fieldset')?.focus();
              setPending(undefined);
              onChange({ date: undefined });
            }}
          >
            ×
          </Button>
        )}
      </div>
      <div class="calendar">
        <MonthTable
          month={month}
          first={today.slice(0, 7)}
          labelledBy={`${id}-label`}
          weekdays="narrow"
          table={grid}
          onKeyDown={onKeyDown}
          onTurn={(months) => setFocused(notPast(`${nextMonth(month, months)}-01`))}
        >
          {(day) => (
            <td key={day}>
              <button
                type="button"
                class={dayClass(day, first, last)}
                tabIndex={day === focused ? 0 : -1}
                disabled={day < today}
                aria-label={dateText(day, { dateStyle: 'full' })}
                aria-current={day === today ? 'date' : undefined}
                aria-pressed={isChosen(day, first, last)}
                data-date={day}
                onClick={() => choose(day)}
              >
                {Number(day.slice(8))}
              </button>
            </td>
          )}
        </MonthTable>
        <p class="soft small" aria-live="polite">
          {pending !== undefined
            ? texts.chooseLast
            : date === undefined || nights !== undefined
              ? texts.chooseFirst
              : plural(daysBetween(date, dateTo ?? date) + 1, texts.nights)}
        </p>
      </div>
      <SelectField
        label={texts.stayLength}
        none={texts.allNights}
        value={nights}
        disabled={date === undefined}
        options={Array.from(
          { length: MAX_NIGHTS },
          (_, index) => [index + 1, plural(index + 1, texts.someNights)] as const,
        )}
        onChoose={(value) => onChange({ nights: value === undefined ? undefined : Number(value) })}
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
