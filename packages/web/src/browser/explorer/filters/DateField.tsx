import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { addDays, daysBetween, nextMonth, todayInBrazil, weeksOf } from '../../components/calendar-dates.ts';
import { dateText } from '../../components/format.ts';
import { usePreferences, useTexts } from '../../components/preferences.ts';
import { TEXTS } from '../texts.ts';

export interface DateFieldProps {
  date: string | undefined;
  dateTo: string | undefined;
  onChange(date: string | undefined, dateTo: string | undefined): void;
}

/** docs/reference/rules.md#dates. */
const MAX_DATES = 31;
const STEPS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };
const SHOWN: Intl.DateTimeFormatOptions = { dateStyle: 'medium' };
/** A Sunday, with which the names of the days begin. */
const SUNDAY = '2026-11-01';

/**
 * A month calendar for a date or a range. The first choice is the first date, and the second choice is the last date.
 * One tab stop leads to the days, and the arrow keys move among them.
 */
export function DateField({ date, dateTo, onChange }: DateFieldProps) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  const id = useId();
  const today = todayInBrazil();
  const [focused, setFocused] = useState(date ?? today);
  const [pending, setPending] = useState<string>();
  const grid = useRef<HTMLTableElement>(null);
  const moved = useRef(false);
  const month = focused.slice(0, 7);
  const [first, last] = pending === undefined ? [date, dateTo ?? date] : [pending, pending];

  useEffect(() => setFocused(date ?? today), [date]);
  // Before the next key arrives.
  useLayoutEffect(() => {
    if (moved.current) grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
    moved.current = false;
  }, [focused]);

  const choose = (day: string) => {
    setFocused(day);
    if (pending !== undefined && day >= pending && daysBetween(pending, day) < MAX_DATES) {
      setPending(undefined);
      onChange(pending, day === pending ? undefined : day);
    } else setPending(day);
  };
  const turn = (months: number) => setFocused(`${nextMonth(month, months)}-01`);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    moved.current = true;
    setFocused((day) => addDays(day, step));
  };
  const shown =
    date === undefined
      ? texts.anyDate
      : [date, ...(dateTo ? [dateTo] : [])].map((day) => dateText(day, language, SHOWN)).join(' – ');

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
              onChange(undefined, undefined);
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
    </fieldset>
  );
}

const isChosen = (day: string, first: string | undefined, last: string | undefined): boolean =>
  first !== undefined && day >= first && day <= (last ?? first);

function dayClass(day: string, first: string | undefined, last: string | undefined): string {
  if (!isChosen(day, first, last)) return 'day';
  return day === first || day === last ? 'day chosen end' : 'day chosen';
}
