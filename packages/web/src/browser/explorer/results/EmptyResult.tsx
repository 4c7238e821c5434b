import { FILTERS, filterOfArgument, type SuggestedFilter } from '@vitrine/feed-index/filters';
import { Button } from '../../components/Button.tsx';
import { addDays, daysBetween, todayInBrazil } from '../../components/calendar-dates.ts';
import { readEmptyReason } from '../mcp-tools.ts';
import { nameOf } from '../names.ts';
import { type FilterProps, queryOf, type StateChange, withoutFilters } from '../search-state.ts';
import { useRetried } from '../use-retried.ts';
import { useWords } from '../use-words.ts';

/** Says why nothing matches, and offers the changes that lead to listings. */
export function EmptyResult({ state, onChange }: FilterProps) {
  const { texts, language, number, plural } = useWords();
  const { value: known, hasFailed } = useRetried(queryOf(state), (signal) => readEmptyReason(state, signal));
  const offer = (text: string, change: StateChange) => ({ text, choose: () => onChange(change) });
  const helpful = (known?.without ?? []).flatMap(({ filter, total }) => {
    const name = filterOfArgument(filter);
    if (name === undefined || total === 0) return [];
    const label = FILTERS[name].label?.[language] ?? filter;
    const text = `${texts.without} “${label}”: ${plural(total, texts.listings)}`;
    return [offer(text, { [name]: undefined })];
  });
  const suggestions = Object.entries(known?.suggestions ?? {}).flatMap(([filter, values]) =>
    values.map(({ value, count: total }) =>
      offer(`${nameOf(filter as SuggestedFilter, value)} ${number(total)}`, { [filter]: value }),
    ),
  );
  const today = todayInBrazil();
  const { date, date_to, nights } = state;
  // A window that begins in the past counts from today.
  const isPast = date !== undefined && (nights === undefined ? date : (date_to ?? date)) < today;
  const length = date && date_to ? daysBetween(date, date_to) : 0;
  const fromToday = offer(texts.fromToday, {
    date: today,
    date_to: length > 0 ? addDays(today, length) : undefined,
  });
  const hasFilters = Object.keys(state).some((name) => !['feed', 'page', 'cursor'].includes(name));
  return (
    <div class="card stack" role="status">
      <h2>{texts.emptyTitle}</h2>
      {!hasFilters && <p>{texts.emptyMarket}</p>}
      {isPast && <Offer reason={texts.pastDate} offers={[fromToday]} />}
      {known?.calendar_unknown !== undefined && known.calendar_unknown > 0 && (
        <p>{plural(known.calendar_unknown, texts.calendarUnknown)}</p>
      )}
      {known && hasFilters && helpful.length === 0 && suggestions.length === 0 && <p>{texts.emptyEvery}</p>}
      <Offer reason={texts.emptyMeant} offers={suggestions} />
      <Offer reason={texts.emptyReason} offers={helpful} />
      {/* The button waits for the reason above it, so as not to move. It also helps without a reason. */}
      {hasFilters && (known || hasFailed) && (
        <div>
          <Button onClick={() => onChange(withoutFilters(state))}>{texts.removeAll}</Button>
        </div>
      )}
    </div>
  );
}

interface OfferProps {
  reason: string;
  offers: readonly { text: string; choose(): void }[];
}

/** Changes that lead to listings, after the reason for them. */
const Offer = ({ reason, offers }: OfferProps) =>
  offers.length === 0 ? null : (
    <div class="row">
      <span>{reason}</span>
      {offers.map(({ text, choose }) => (
        <Button key={text} kind="compact" onClick={choose}>
          {text}
        </Button>
      ))}
    </div>
  );
