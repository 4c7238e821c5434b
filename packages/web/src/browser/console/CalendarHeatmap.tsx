import { useState } from 'preact/hooks';
import { weeksOf } from '../components/calendar-dates.ts';
import { money } from '../components/format.ts';
import type { ExplainedDate } from './api-types.ts';
import { versionText } from './formats.ts';
import { useWords } from './use-words.ts';

const CELL = 16;
const LEVELS = 4;
const SHOWN_MONTHS = 6;

interface CalendarProps {
  dates: Readonly<Record<string, ExplainedDate>>;
  today: string;
}

/** The dates of a listing, one small calendar per month. The color of an open date shows its price. */
export function CalendarHeatmap({ dates, today }: CalendarProps) {
  const { texts } = useWords();
  const [showsAll, setShowsAll] = useState(false);
  const months = [...new Set(Object.keys(dates).map((date) => date.slice(0, 7)))].sort();
  if (months.length === 0) return <p class="soft">{texts.noDates}</p>;
  const prices = Object.values(dates).flatMap(({ price, available }) =>
    available && price !== undefined ? [price] : [],
  );
  const [low, high] = [Math.min(...prices), Math.max(...prices)];
  const levelOf = ({ version, available, price }: ExplainedDate): string => {
    if (version === undefined) return 'hidden-date';
    if (!available) return 'taken';
    if (price === undefined || low === high) return 'level-2';
    return `level-${1 + Math.min(LEVELS - 1, Math.floor(((price - low) / (high - low)) * LEVELS))}`;
  };
  const first = Math.max(
    0,
    months.findIndex((month) => month >= today.slice(0, 7)),
  );
  const shown = showsAll ? months : months.slice(first, first + SHOWN_MONTHS);
  return (
    <div class="stack">
      <div class="heat-months">
        {shown.map((month) => (
          <Month key={month} month={month} dates={dates} today={today} levelOf={levelOf} />
        ))}
      </div>
      <div class="row small soft">
        <span>{texts.heatLegend}</span>
        <span>{texts.low}</span>
        {[1, 2, 3, 4].map((level) => (
          <Swatch key={level} kind={`level-${level}`} />
        ))}
        <span>{texts.high}</span>
        <Swatch kind="taken" /> <span>{texts.taken}</span>
        <Swatch kind="hidden-date" /> <span>{texts.hiddenDate}</span>
        {shown.length < months.length && (
          <button type="button" class="button compact" onClick={() => setShowsAll(true)}>
            {texts.moreMonths(months.length - shown.length)}
          </button>
        )}
      </div>
    </div>
  );
}

const Swatch = ({ kind }: { kind: string }) => (
  <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
    <rect class={`heat ${kind}`} x="0.5" y="0.5" width="13" height="13" rx="3" />
  </svg>
);

interface MonthProps extends CalendarProps {
  month: string;
  levelOf(date: ExplainedDate): string;
}

function Month({ month, dates, today, levelOf }: MonthProps) {
  const { texts, language, dateText } = useWords();
  const weeks = weeksOf(month);
  const name = dateText(`${month}-01`, { month: 'short', year: 'numeric' });
  const titleOf = (date: string, { version, available, price }: ExplainedDate): string => {
    if (version === undefined) return `${dateText(date)}: ${texts.hiddenDate}`;
    const state = available ? texts.open : texts.taken;
    const cost = price === undefined ? texts.listingPrice : money(price, language);
    return `${dateText(date)}: ${state}, ${cost}, ${texts.version} ${versionText(version, texts)}`;
  };
  const own = Object.entries(dates).filter(([date]) => date.startsWith(month));
  const open = own.filter(([, { available }]) => available).length;
  const taken = own.filter(([, { available }]) => available === false).length;
  return (
    <figure>
      <figcaption class="small">{name}</figcaption>
      <svg
        width={7 * CELL}
        height={weeks.length * CELL}
        viewBox={`0 0 ${7 * CELL} ${weeks.length * CELL}`}
        role="img"
        aria-label={`${name}: ${open} ${texts.open}, ${taken} ${texts.taken}`}
      >
        {weeks.flatMap((week, row) =>
          week.map((date, column) => {
            if (date === undefined) return null;
            const given = dates[date];
            const kind = given ? levelOf(given) : 'no-date';
            return (
              <rect
                key={date}
                class={`heat ${kind}${date === today ? ' today' : ''}`}
                x={column * CELL + 1}
                y={row * CELL + 1}
                width={CELL - 2}
                height={CELL - 2}
                rx="3"
              >
                {given && <title>{titleOf(date, given)}</title>}
              </rect>
            );
          }),
        )}
      </svg>
    </figure>
  );
}
