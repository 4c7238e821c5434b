import { type CalendarEntry, FIELDS, type OracleEvent } from './record.ts';

/** A listing according to its whole history. */
export interface Listing {
  /** Rank of the last removal, or 0 if there is none. */
  removed: bigint;
  /** Fields that an event above the removal has set or cleared (`null`). */
  fields: Record<string, unknown>;
  /** The visible dates, ascending. */
  calendar: CalendarEntry[];
  /** The earliest time of the accepted events. */
  firstTime?: number;
}

/** How many of the latest dates a listing keeps, with hidden ones (docs/decisions/0004-bounded-calendar.md). */
const KEPT_DATES = 3_660;

/** Folds the whole history literally. The result does not depend on the order of the events. */
export function foldHistory(events: readonly OracleEvent[]): Listing {
  const removed = highest(events.filter((event) => event.removed));
  const replaced = highest(events.filter((event) => event.replaces));
  const fields: Record<string, unknown> = {};
  for (const name of FIELDS) {
    const set = events.filter((event) => name in event.fields && event.rank > removed);
    if (set.length > 0) fields[name] = winner(set.map(({ rank, fields }) => ({ rank, value: fields[name] })));
  }
  const times = events.flatMap(({ time }) => (time === undefined ? [] : [time]));
  return {
    removed,
    fields,
    calendar: calendar(events, removed, replaced),
    ...(times.length > 0 && { firstTime: Math.min(...times) }),
  };
}

function calendar(events: readonly OracleEvent[], removed: bigint, replaced: bigint): CalendarEntry[] {
  const named = events.flatMap(({ rank, dates }) =>
    dates.map((entry) => ({ rank, value: withoutNull(entry) })),
  );
  const byDate = Object.groupBy(named, ({ value }) => value.date);
  const kept = Object.keys(byDate).sort().slice(-KEPT_DATES);
  return kept.flatMap((date) => {
    const visible = (byDate[date] ?? []).filter(({ rank }) => rank > removed && rank >= replaced);
    return visible.length > 0 ? [winner(visible)] : [];
  });
}

/** The highest version wins. With equal versions, the greater canonical JSON wins. */
function winner<T>(values: { rank: bigint; value: T }[]): T {
  const top = highest(values);
  const tied = values.filter(({ rank }) => rank === top).map(({ value }) => value);
  return tied.reduce((best, value) => (canonical(value) > canonical(best) ? value : best));
}

const highest = (ranked: readonly { rank: bigint }[]): bigint =>
  ranked.reduce((top, { rank }) => (rank > top ? rank : top), 0n);

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
