import type { ChangeDetails } from '@vitrine/feed-index';
import { compareVersions, type ListingEvent, type Version } from '@vitrine/listing-events';
import { fold } from './fold.ts';
import { everyHeldMember } from './held-members.ts';
import type { ListingState } from './listing-state.ts';

/** A source's newest event that changed nothing, because the listing has higher versions. */
export interface Ignored {
  source: string;
  kind: ListingEvent['kind'];
  version: Version;
  /** The event's `time` in epoch milliseconds. */
  time: number;
  /** The first member with a higher version: a field, a date, `removed`, or `replaced` for a calendar. */
  member: string;
  /** The version of this member. */
  held: Version;
}

/** A state, and the notes about it. The notes are not part of the fold. */
export interface NotedState extends ListingState {
  /**
   * The list has at most one entry per source, newest first. The member is absent if there are no entries.
   */
  ignored?: readonly Ignored[];
  /**
   * How the listing has changed in the feed of its generation. A state from release 1.1.0 has no such notes.
   */
  changes?: ChangeDetails;
}

const MAX_IGNORED = 5;

/**
 * Folds the events as `fold` does, and notes the events that change nothing because of higher versions. The
 * notes depend on the order of arrival. Pure.
 * @param now epoch milliseconds. A state from release 1.1.0 has no `last_time`, so its notes begin with
 * events after `now`.
 * @returns the next state, and the events that were superseded and not yet noted
 */
export function foldNoting(
  stored: NotedState,
  events: readonly ListingEvent[],
  now: number,
): { state: NotedState; superseded: readonly ListingEvent[] } {
  const isOfOlderRelease = stored.first_seen !== undefined && stored.last_time === undefined;
  const known = isOfOlderRelease && events.length > 0 ? { ...stored, last_time: now } : stored;
  const superseded: ListingEvent[] = [];
  let notes = stored.ignored ?? [];
  const state: NotedState = fold(known, events, (before, event) => {
    const note = noteOf(before, event);
    if (note && !isNoted(notes, note)) {
      superseded.push(event);
      notes = [note, ...notes.filter(({ source }) => source !== note.source)].slice(0, MAX_IGNORED);
    } else if (!note && notes.length > 0) notes = notes.filter((entry) => !outlives(before, event, entry));
  });
  // The fold has copied the notes of the stored state.
  if (notes.length > 0) state.ignored = notes;
  else if (stored.ignored) delete state.ignored;
  return { state, superseded };
}

/**
 * Returns the state without the members that depend on the order of arrival, or that release 1.1.0 did not
 * write.
 */
export function factsOf({ ignored: _, last_time: __, changes: ___, ...facts }: NotedState): ListingState {
  return facts;
}

/** Whether the event repeats a noted event or an earlier one. */
const isNoted = (notes: readonly Ignored[], { source, time, version }: Ignored): boolean =>
  notes.some(
    (entry) => entry.source === source && time <= entry.time && compareVersions(version, entry.version) <= 0,
  );

/** Whether the event has the entry's source, is later than the entry, and changes the state. */
const outlives = (state: ListingState, event: ListingEvent, entry: Ignored): boolean =>
  event.source === entry.source &&
  (compareVersions(event.version, entry.version) > 0 || (event.time ?? 0) >= entry.time) &&
  !everyHeldMember(state, event, (_, held) => compareVersions(held, event.version) >= 0);

/**
 * Returns the note for a superseded event. A tombstone gets none, because it has no source. An event from
 * before the newest event gets none, because it may be late or repeated.
 */
function noteOf(state: ListingState, event: ListingEvent): Ignored | undefined {
  const { source, kind, version, time } = event;
  if (source === undefined || time === undefined || time < (state.last_time ?? time)) return undefined;
  const held = supersededBy(state, event);
  return held && { source, kind, version, time, ...held };
}

type Held = Pick<Ignored, 'member' | 'held'>;

/**
 * If the state has a higher version of every member that the event names, returns the first of these members.
 * The event's time does not matter. Pure.
 */
export function supersededBy(state: ListingState, event: ListingEvent): Held | undefined {
  let first: Held | undefined;
  const isSuperseded = everyHeldMember(state, event, (member, held) => {
    if (compareVersions(held, event.version) <= 0) return false;
    first ??= { member, held };
    return true;
  });
  return isSuperseded ? first : undefined;
}
