import { type CalendarEntry, FIELDS, type OracleEvent } from './record.ts';

/** A listing according to its whole history. */
export interface Listing {
  /** Version of the last removal, or 0 if there is none. */
  removed: number;
  /** Fields that an event above the removal has set or cleared (`null`). */
  fields: Record<string, unknown>;
  /** The visible dates, ascending. */
  calendar: CalendarEntry[];
  /** The earliest time of the accepted events. */
  firstTime?: number;
}

/** docs/decisions/0004-bounded-calendar.md */
const KEPT_DATES = 3_660;

/** Folds the whole history literally. The result does not depend on the order of the events. */
export function foldHistory(events: readonly OracleEvent[]): Listing {
  const removed = Math.max(0, ...events.filter((event) => event.removed).map(({ version }) => version));
  const replaced = Math.max(0, ...events.filter((event) => event.replaces).map(({ version }) => version));
  const fields: Record<string, unknown> = {};
  for (const name of FIELDS) {
    const set = events.filter((event) => name in event.fields && event.version > removed);
    if (set.length > 0)
      fields[name] = winner(set.map(({ version, fields }) => ({ version, value: fields[name] })));
  }
  const times = events.flatMap(({ time }) => (time === undefined ? [] : [time]));
  return {
    removed,
    fields,
    calendar: calendar(events, removed, replaced),
    ...(times.length > 0 && { firstTime: Math.min(...times) }),
  };
}

function calendar(events: readonly OracleEvent[], removed: number, replaced: number): CalendarEntry[] {
  const named = events.flatMap(({ version, dates }) =>
    dates.map((entry) => ({ version, value: withoutNull(entry) })),
  );
  const byDate = Object.groupBy(named, ({ value }) => value.date);
  const kept = Object.keys(byDate).sort().slice(-KEPT_DATES);
  return kept.flatMap((date) => {
    const visible = (byDate[date] ?? []).filter(({ version }) => version > removed && version >= replaced);
    return visible.length > 0 ? [winner(visible)] : [];
  });
}

/** The highest version wins. With equal versions, the greater canonical JSON wins. */
function winner<T>(values: { version: number; value: T }[]): T {
  const highest = Math.max(...values.map(({ version }) => version));
  const tied = values.filter(({ version }) => version === highest).map(({ value }) => value);
  return tied.reduce((best, value) => (canonical(value) > canonical(best) ? value : best));
}

const withoutNull = ({ date, available, price }: CalendarEntry): CalendarEntry => ({
  date,
  available,
  ...(typeof price === 'number' && { price }),
});

/** Canonical JSON (RFC 8785): members in the order of their names, and no white space. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical)}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical((value as Record<string, unknown>)[name])}`)}}`;
}
