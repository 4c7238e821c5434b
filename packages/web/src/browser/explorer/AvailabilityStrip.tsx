import { useRef, useState } from 'preact/hooks';
import { addDays, todayInBrazil } from '../components/calendar-dates.ts';
import { dateState } from './detail/MonthCalendar.tsx';
import { readCalendar } from './detail/read-listing.ts';
import type { Availability, FeedItem } from './feed-page.ts';
import { useWords } from './use-words.ts';

const DAYS = 14;

export interface AvailabilityStripProps {
  item: FeedItem;
  /** Whether the request has a date. If it has one, the feed contains only the requested dates. */
  hasDate: boolean;
}

/** The next 14 days of a listing: free, taken or unknown, with the price of each date. */
export function AvailabilityStrip({ item, hasDate }: AvailabilityStripProps) {
  const { texts, money, dateText } = useWords();
  const [loaded, setLoaded] = useState<Availability[] | 'loading' | 'failed'>();
  const list = useRef<HTMLOListElement>(null);
  const today = todayInBrazil();
  const isWhole = !hasDate || Array.isArray(loaded);
  const known = new Map(
    (Array.isArray(loaded) ? loaded : (item.availability ?? [])).map((day) => [day.date, day]),
  );
  const dates = isWhole ? Array.from({ length: DAYS }, (_, day) => addDays(today, day)) : [...known.keys()];
  const load = () => {
    // The focused button disappears.
    list.current?.focus();
    setLoaded('loading');
    readCalendar(item.id, today, addDays(today, DAYS - 1), AbortSignal.timeout(10_000)).then(setLoaded, () =>
      setLoaded('failed'),
    );
  };
  if (isWhole && known.size === 0) return <p class="soft small">{texts.noDates}</p>;
  return (
    <div class="strip-frame">
      <p class="soft small">{isWhole ? texts.strip : texts.chosenDates}</p>
      <ol class="strip" ref={list} tabIndex={-1} aria-label={isWhole ? texts.strip : texts.chosenDates}>
        {dates.map((date) => {
          const day = known.get(date);
          const state = dateState(day);
          const price = day?.available ? `, ${money(day.price)}` : '';
          const title = `${dateText(date)}: ${texts[state]}${price}`;
          return (
            <li key={date} class={state} title={title}>
              <span aria-hidden="true">{Number(date.slice(8))}</span>
              <span class="hidden-text">{title}</span>
            </li>
          );
        })}
      </ol>
      {!isWhole && (
        <button type="button" class="link" disabled={loaded === 'loading'} onClick={load}>
          {texts.showStrip}
        </button>
      )}
      {loaded === 'failed' && (
        <p class="small" role="status">
          {texts.stripFailed}
        </p>
      )}
    </div>
  );
}
