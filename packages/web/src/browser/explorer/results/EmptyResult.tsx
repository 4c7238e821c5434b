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
  const helpful = known?.without.filter(({ total }) => total > 0) ?? [];
  const suggestions = Object.entries(known?.suggestions ?? {}).flatMap(([filter, values]) =>
    values.map((value) => ({ filter, ...value })),
  );
  const today = todayInBrazil();
  const { date, date_to, nights } = state;
  // A window that begins in the past counts from today.
  const isPast = date !== undefined && (nights === undefined ? date : (date_to ?? date)) < today;
  const hasFilters = Object.keys(state).some((name) => !['feed', 'page', 'cursor'].includes(name));
  return (
    <div class="card stack empty" role="status">
      <h2>{texts.emptyTitle}</h2>
      {!hasFilters && <p>{texts.emptyMarket}</p>}
      {isPast && (
        <div class="row">
          <span>{texts.pastDate}</span>
          <button
            type="button"
            class="button compact"
            onClick={() =>
              onChange({
                date: today,
                date_to: date_to && date && addDays(today, daysBetween(date, date_to)),
              })
            }
          >
            {texts.fromToday}
          </button>
        </div>
      )}
      {known?.calendar_unknown !== undefined && known.calendar_unknown > 0 && (
        <p>{texts.calendarUnknown(known.calendar_unknown)}</p>
      )}
      {known && hasFilters && helpful.length === 0 && suggestions.length === 0 && <p>{texts.emptyEvery}</p>}
      {suggestions.length > 0 && (
        <div class="row">
          <span>{texts.emptyMeant}</span>
          {suggestions.map(({ filter, value, label, count: total }) => (
            <button
              key={`${filter} ${value}`}
              type="button"
              class="button compact"
              onClick={() => onChange({ [filter as SuggestedFilter]: value })}
            >
              {filter === 'ad_type' ? label : nameOf(filter as SuggestedFilter, value)}{' '}
              <span class="soft number">{count(total, language)}</span>
            </button>
          ))}
        </div>
      )}
      {helpful.length > 0 && (
        <div class="row">
          <span>{texts.emptyReason}</span>
          {helpful.map(({ filter, total }) => (
            <button
              key={filter}
              type="button"
              class="button compact"
              onClick={() => onChange(removalOf(filter))}
            >
              {texts.emptyWithout(labelOf(filter, language), total)}
            </button>
          ))}
        </div>
      )}
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

function labelOf(argument: string, language: Language): string {
  const name = filterOfArgument(argument);
  return (name && FILTERS[name].label?.[language]) ?? argument;
}
