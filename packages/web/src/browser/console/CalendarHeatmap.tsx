import { useState } from 'preact/hooks';
import { weeksOf } from '../components/calendar-dates.ts';
import { money } from '../components/format.ts';
import type { ExplainedDate } from './api-types.ts';
import { versionText } from './formats.ts';
import { useWords } from './use-words.ts';

const CELL = 16;
/** The opacity of each price level. */
const SHADES = [0.25, 0.48, 0.72, 1] as const;
const SHOWN_MONTHS = 6;

interface CalendarProps {
  dates: Readonly<Record<string, ExplainedDate>>;
  today: string;
}

/** A listing's dates, in one small calendar per month. The color of an open date shows its price. */
export function CalendarHeatmap({ dates, today }: CalendarProps) {
  const { texts } = useWords();
  const [showsAll, setShowsAll] = useState(false);
  const months = [...new Set(Object.keys(dates).map((date) => date.slice(0, 7)))].sort();
  if (months.length === 0) return <p class="soft">{texts.noDates}</p>;
  const prices = Object.values(dates).flatMap(({ price, available }) =>
    available && price !== undefined ? [price] : [],
  );
  const [low, high] = [Math.min(...prices), Math.max(...prices)];
  const shadeOf = ({ price }: ExplainedDate): number => {
    if (price === undefined || low === high) return SHADES[1];
    return SHADES[Math.floor(((price - low) / (high - low)) * SHADES.length)] ?? SHADES[3];
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
          <Month key={month} month={month} dates={dates} today={today} shadeOf={shadeOf} />
        ))}
      </div>
      <div class="row small soft">
        <span>{texts.heatLegend}</span>
        <span>{texts.low}</span>
        {SHADES.map((shade) => (
          <Swatch key={shade} kind="open" shade={shade} />
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

const kindOf = ({ version, available }: ExplainedDate): string =>
  version === undefined ? 'hidden-date' : available ? 'open' : 'taken';

const Swatch = ({ kind, shade }: { kind: string; shade?: number }) => (
  <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
    <rect class={`heat ${kind}`} fill-opacity={shade} x="0.5" y="0.5" width="13" height="13" rx="3" />
  </svg>
);

interface MonthProps extends CalendarProps {
  month: string;
  shadeOf(date: ExplainedDate): number;
}

function Month({ month, dates, today, shadeOf }: MonthProps) {
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
            const kind = given ? kindOf(given) : 'no-date';
            return (
              <rect
                key={date}
                class={`heat ${kind}${date === today ? ' today' : ''}`}
                fill-opacity={given && kind === 'open' ? shadeOf(given) : undefined}
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
