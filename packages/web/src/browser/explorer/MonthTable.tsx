import type { ComponentChildren, Ref } from 'preact';
import { useId } from 'preact/hooks';
import { Button } from '../components/Button.tsx';
import { addDays, weeksOf } from '../components/calendar-dates.ts';
import { useWords } from './use-words.ts';

export interface MonthTableProps {
  /** The month, as YYYY-MM. */
  month: string;
  /** The first month, which has no back button, and the last one, which has no forward button. */
  first: string;
  last?: string;
  /** The id of the element that names the table. By default, the table has the name of the month. */
  labelledBy?: string;
  weekdays: 'narrow' | 'short';
  table?: Ref<HTMLTableElement>;
  onKeyDown?(event: KeyboardEvent): void;
  onTurn(months: 1 | -1): void;
  /** Renders the cell of a date. */
  children(date: string): ComponentChildren;
  /** Content between the name of the month and its table. */
  note?: ComponentChildren;
}

/** This date is a Sunday, because the names of the days begin with Sunday. */
const SUNDAY = '2026-11-01';

/** A month as a table of weeks, with the buttons that lead to the neighboring months. */
export function MonthTable(props: MonthTableProps) {
  const { month, first, last, labelledBy, weekdays, table, onKeyDown, onTurn, children, note } = props;
  const { texts, dateText } = useWords();
  const id = useId();
  const turn = (months: 1 | -1, label: string, bound: string | undefined) => (
    <Button
      kind="compact quiet"
      aria-label={label}
      disabled={bound !== undefined && (months < 0 ? month <= bound : month >= bound)}
      onClick={() => onTurn(months)}
    >
      {months < 0 ? '‹' : '›'}
    </Button>
  );
  return (
    <>
      <div class="row spread">
        {turn(-1, texts.previousMonth, first)}
        <strong id={id} aria-live="polite">
          {dateText(`${month}-01`, { month: 'long', year: 'numeric' })}
        </strong>
        {turn(1, texts.nextMonth, last)}
      </div>
      {note}
      <table class="days" ref={table ?? null} aria-labelledby={labelledBy ?? id} onKeyDown={onKeyDown}>
        <thead>
          <tr>
            {Array.from({ length: 7 }, (_, day) => addDays(SUNDAY, day)).map((day) => (
              <th key={day} scope="col" abbr={dateText(day, { weekday: 'long' })}>
                {dateText(day, { weekday: weekdays }).replace('.', '')}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeksOf(month).map((week) => (
            <tr key={week.find(Boolean)}>
              {week.map((date, index) => (date === undefined ? <td key={index} /> : children(date)))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
