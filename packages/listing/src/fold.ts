import {
  type CalendarDate,
  compareVersions,
  type FieldChanges,
  type FieldName,
  higherVersion,
  type ListingEvent,
  type Version,
} from '@vitrine/listing-events';
import { canonicalJson } from './canonical-json.ts';
import { HIDDEN, type ListingState, MAX_DATES, type VersionedDate } from './listing-state.ts';

/**
 * Applies events to a state and returns the next state. Each field and date keeps the value with the highest
 * version. Therefore any order, interleaving or repetition of the same events gives the same state
 * (docs/decisions/0001). Pure: the function does not change the given state.
 * @param before receives the state before each event
 */
export function fold(
  state: ListingState,
  events: readonly ListingEvent[],
  before?: (state: ListingState, event: ListingEvent) => void,
): ListingState {
  const next: ListingState = { ...state, fields: { ...state.fields }, dates: { ...state.dates } };
  for (const event of events) {
    before?.(next, event);
    apply(next, event);
  }
  forgetHidden(next);
  keepLatestDates(next);
  return next;
}

function apply(state: ListingState, event: ListingEvent): void {
  if (event.time !== undefined) {
    state.first_seen = Math.min(state.first_seen ?? event.time, event.time);
    state.last_time = Math.max(state.last_time ?? event.time, event.time);
  }
  switch (event.kind) {
    case 'snapshot':
      setFields(state, event.version, event.fields);
      if (event.dates) replaceDates(state, event.version, event.dates);
      return;
    case 'changed':
      setFields(state, event.version, event.fields);
      return;
    case 'availability_changed':
      if (event.mode === 'replace') replaceDates(state, event.version, event.dates);
      else setDates(state, event.version, event.dates);
      return;
    case 'removed':
      state.removed = higherVersion(state.removed, event.version);
      return;
    default:
      event satisfies never;
  }
}

function setFields(state: ListingState, version: Version, changes: FieldChanges): void {
  const fields: Partial<Record<FieldName, readonly [Version, unknown]>> = state.fields;
  for (const [name, value] of Object.entries(changes) as [FieldName, unknown][]) {
    const current = fields[name];
    const order = current ? compareVersions(version, current[0]) : 1;
    if (order > 0 || (order === 0 && canonicalJson(value) > canonicalJson(current?.[1])))
      fields[name] = [version, value];
  }
}

function replaceDates(state: ListingState, version: Version, dates: readonly CalendarDate[]): void {
  state.replaced = higherVersion(state.replaced, version);
  setDates(state, version, dates);
}

function setDates(state: ListingState, version: Version, dates: readonly CalendarDate[]): void {
  for (const { date, available, price } of dates) {
    const current = state.dates[date];
    const entry: VersionedDate =
      typeof price === 'number' ? [version, available, price] : [version, available];
    const order = current ? compareVersions(version, current[0]) : 1;
    if (order > 0 || (order === 0 && current && sortsAbove(entry, current))) state.dates[date] = entry;
  }
}

const sortsAbove = (
  [, available, price]: Exclude<VersionedDate, 0>,
  [, currentAvailable, currentPrice]: Exclude<VersionedDate, 0>,
): boolean =>
  canonicalJson({ available, price }) > canonicalJson({ available: currentAvailable, price: currentPrice });

/** Drops values that a removal or replacement hides. Only a higher version can make a value visible again. */
function forgetHidden(state: ListingState): void {
  const { fields, dates, removed, replaced } = state;
  if (removed === 0 && replaced === 0) return;
  for (const [name, [version]] of Object.entries(fields))
    if (compareVersions(version, removed) <= 0) delete fields[name as FieldName];
  // This loop avoids the allocations of `Object.entries`, because calendars make up most of the folded data.
  for (const date in dates) {
    const entry = dates[date];
    if (entry && (compareVersions(entry[0], removed) <= 0 || compareVersions(entry[0], replaced) < 0))
      dates[date] = HIDDEN;
  }
}

function keepLatestDates(state: ListingState): void {
  const dates = Object.keys(state.dates);
  if (dates.length <= MAX_DATES) return;
  for (const date of dates.sort().slice(0, dates.length - MAX_DATES)) delete state.dates[date];
}
