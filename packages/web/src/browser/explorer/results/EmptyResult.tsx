import { FILTERS, filterOfArgument, type SuggestedFilter } from '@vitrine/feed-index/filters';
import { useEffect, useState } from 'preact/hooks';
import { addDays, daysBetween, todayInBrazil } from '../../components/calendar-dates.ts';
import { count } from '../../components/format.ts';
import { type Language, usePreferences, useTexts } from '../../components/preferences.ts';
import type { EmptyReason } from '../mcp-tools.ts';
import { nameOf } from '../names.ts';
import { type SearchState, type StateChange, withoutFilters } from '../search-state.ts';
import { TEXTS } from '../texts.ts';

/** The change that removes a filter. @param argument the name that the reason uses */
function removalOf(argument: string): StateChange {
  const name = filterOfArgument(argument);
  return name === undefined ? {} : { [name]: undefined };
}

export interface EmptyResultProps {
  state: SearchState;
  readReason(state: SearchState, signal: AbortSignal): Promise<EmptyReason>;
  onChange(change: StateChange): void;
}

/** Says why nothing matches, and offers the changes that lead to listings. */
export function EmptyResult({ state, readReason, onChange }: EmptyResultProps) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  const [reason, setReason] = useState<EmptyReason | 'unknown'>();
  const key = JSON.stringify(state);
  useEffect(() => {
    const leaving = new AbortController();
    setReason(undefined);
    // Without the reason, the page still offers to remove all filters.
    readReason(state, leaving.signal).then(setReason, () => leaving.signal.aborted || setReason('unknown'));
    return () => leaving.abort();
  }, [key]);
  const known = reason === 'unknown' ? undefined : reason;
  const offer = (text: string, change: StateChange) => ({ text, choose: () => onChange(change) });
  const helpful = (known?.without ?? [])
    .filter(({ total }) => total > 0)
    .map(({ filter, total }) =>
      offer(texts.emptyWithout(labelOf(filter, language), total), removalOf(filter)),
    );
  const suggestions = Object.entries(known?.suggestions ?? {}).flatMap(([filter, values]) =>
    values.map(({ value, count: total }) =>
      offer(`${nameOf(filter as SuggestedFilter, value)} ${count(total, language)}`, { [filter]: value }),
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
    <div class="card stack empty" role="status">
      <h2>{texts.emptyTitle}</h2>
      {!hasFilters && <p>{texts.emptyMarket}</p>}
      {isPast && <Offer reason={texts.pastDate} offers={[fromToday]} />}
      {known?.calendar_unknown !== undefined && known.calendar_unknown > 0 && (
        <p>{texts.calendarUnknown(known.calendar_unknown)}</p>
      )}
      {known && hasFilters && helpful.length === 0 && suggestions.length === 0 && <p>{texts.emptyEvery}</p>}
      <Offer reason={texts.emptyMeant} offers={suggestions} />
      <Offer reason={texts.emptyReason} offers={helpful} />
      {/* It waits for the reason above it, so that it does not move. */}
      {hasFilters && reason !== undefined && (
        <div>
          <button type="button" class="button" onClick={() => onChange(withoutFilters(state))}>
            {texts.removeAll}
          </button>
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
        <button key={text} type="button" class="button compact" onClick={choose}>
          {text}
        </button>
      ))}
    </div>
  );

function labelOf(argument: string, language: Language): string {
  const name = filterOfArgument(argument);
  return (name && FILTERS[name].label?.[language]) ?? argument;
}
