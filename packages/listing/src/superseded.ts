import {
  type CalendarDate,
  compareVersions,
  type FieldName,
  type ListingEvent,
  type Version,
} from '@vitrine/listing-events';
import { fold } from './fold.ts';
import type { ListingState } from './listing-state.ts';

/** The newest event of a source that changed nothing, because the listing has higher versions. */
export interface Ignored {
  source: string;
  kind: ListingEvent['kind'];
  version: Version;
  /** The event's `time` in epoch milliseconds. */
  time: number;
  /** The first member with the higher version: a field, a date, `removed`, or `replaced` for a calendar. */
  member: string;
  /** The version of this member. */
  held: Version;
}

/** A state and the notes about it, which are no part of the fold. */
export interface NotedState extends ListingState {
  /** At most one entry per source, the newest first. Absent if there is none. */
  ignored?: readonly Ignored[];
}

const MAX_IGNORED = 5;

/**
 * Folds the events as `fold` does, and notes the events that change nothing because of higher versions. The
 * notes depend on the order of arrival. Pure.
 * @param now epoch milliseconds. A state of 1.1.0 has no `last_time`, so its notes begin with events after now.
 * @returns the next state, and the events that were superseded and not yet noted
 */
export function foldNoting(
  { ignored = [], ...stored }: NotedState,
  events: readonly ListingEvent[],
  now: number,
): { state: NotedState; superseded: readonly ListingEvent[] } {
  const isOfOlderRelease = stored.first_seen !== undefined && stored.last_time === undefined;
  const known = isOfOlderRelease && events.length > 0 ? { ...stored, last_time: now } : stored;
  const superseded: ListingEvent[] = [];
  let notes = ignored;
  const state = fold(known, events, (before, event) => {
    const note = noteOf(before, event);
    if (note && !isNoted(notes, note)) {
      superseded.push(event);
      notes = [note, ...notes.filter(({ source }) => source !== note.source)].slice(0, MAX_IGNORED);
    } else if (!note && notes.length > 0) notes = notes.filter((entry) => !outlives(before, event, entry));
  });
  return { state: notes.length > 0 ? { ...state, ignored: notes } : state, superseded };
}

/** Returns the state without the members that depend on the order of arrival, or that 1.1.0 did not write. */
export function factsOf({ ignored: _, last_time: __, ...facts }: NotedState): ListingState {
  return facts;
}

/** A repetition of a noted event, or of an event before it, is none. */
const isNoted = (notes: readonly Ignored[], { source, time, version }: Ignored): boolean =>
  notes.some(
    (entry) => entry.source === source && time <= entry.time && compareVersions(version, entry.version) <= 0,
  );

/** Whether the event of the entry's source is later and changes the state. */
const outlives = (state: ListingState, event: ListingEvent, entry: Ignored): boolean =>
  event.source === entry.source &&
  (compareVersions(event.version, entry.version) > 0 || (event.time ?? 0) >= entry.time) &&
  [...heldMembers(state, event)].some(({ held }) => compareVersions(held, event.version) < 0);

/** A tombstone has no source. An event from before the newest event may be a late or a repeated one. */
function noteOf(state: ListingState, event: ListingEvent): Ignored | undefined {
  const { source, kind, version, time } = event;
  if (source === undefined || time === undefined || time < (state.last_time ?? time)) return undefined;
  const held = supersededBy(state, event);
  return held && { source, kind, version, time, ...held };
}

type Held = Pick<Ignored, 'member' | 'held'>;

/**
 * Returns the first member that the event names, if the state has a higher version of every one of them. The time
 * of the event does not matter. Pure.
 */
export function supersededBy(state: ListingState, event: ListingEvent): Held | undefined {
  let first: Held | undefined;
  for (const one of heldMembers(state, event)) {
    // Most events end here with the first member.
    if (compareVersions(one.held, event.version) <= 0) return undefined;
    first ??= one;
  }
  return first;
}

/**
 * Yields each member that the event names, with the version that the event must exceed. A removal names the whole
 * content, and a replacement the whole calendar.
 */
function* heldMembers(state: ListingState, event: ListingEvent): Generator<Held, undefined> {
  switch (event.kind) {
    case 'snapshot':
      yield* heldFields(state, event.fields);
      if (event.dates) yield* heldCalendar(state, event.version, event.dates);
      return;
    case 'changed':
      yield* heldFields(state, event.fields);
      return;
    case 'availability_changed':
      if (event.mode === 'replace') yield* heldCalendar(state, event.version, event.dates);
      else yield* heldDates(state, event.dates);
      return;
    case 'removed':
      yield* heldContent(state, event.version);
      return;
    default:
      event satisfies never;
  }
}

const highest = (...members: readonly Held[]): Held =>
  members.reduce((top, one) => (compareVersions(one.held, top.held) > 0 ? one : top));

const removal = ({ removed }: ListingState): Held => ({ member: 'removed', held: removed });
const replacement = ({ replaced }: ListingState): Held => ({ member: 'replaced', held: replaced });

function* heldFields(state: ListingState, names: object): Generator<Held> {
  for (const name in names)
    yield highest({ member: name, held: state.fields[name as FieldName]?.[0] ?? 0 }, removal(state));
}

function* heldDates(state: ListingState, dates: readonly CalendarDate[]): Generator<Held> {
  const hiding = highest(removal(state), replacement(state));
  for (const { date } of dates) {
    const entry = state.dates[date];
    yield entry ? highest({ member: date, held: entry[0] }, hiding) : hiding;
  }
}

function* heldCalendar(
  state: ListingState,
  version: Version,
  dates: readonly CalendarDate[],
): Generator<Held> {
  const hiding = highest(replacement(state), removal(state));
  // A version that equals that of the replacement is a repetition, whatever the dates are.
  if (compareVersions(hiding.held, version) >= 0) return yield hiding;
  let isEmpty = true;
  for (const shown of shownDates(state)) {
    isEmpty = false;
    yield shown;
  }
  if (isEmpty) yield hiding;
  else yield* heldDates(state, dates);
}

function* heldContent(state: ListingState, version: Version): Generator<Held> {
  if (compareVersions(state.removed, version) >= 0) return yield removal(state);
  let isEmpty = true;
  for (const content of [heldFields(state, state.fields), shownDates(state)])
    for (const shown of content) {
      isEmpty = false;
      yield shown;
    }
  if (isEmpty) yield removal(state);
}

/** Yields the dates that neither the removal nor the replacement hides. */
function* shownDates({ dates, removed, replaced }: ListingState): Generator<Held> {
  for (const member in dates) {
    const entry = dates[member];
    if (entry && compareVersions(entry[0], removed) > 0 && compareVersions(entry[0], replaced) >= 0)
      yield { member, held: entry[0] };
  }
}
