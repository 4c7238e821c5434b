import type { ChangeState, FeedItem } from '@vitrine/feed-index';
import {
  type DroppedMember,
  HIDDEN,
  type HiddenReason,
  type Ignored,
  type ListingState,
} from '@vitrine/listing';
import { describeVersion, type ListingEvent, type Version } from '@vitrine/listing-events';
import type { Role } from '@vitrine/projection/generations';
import type { DeadLetterList } from '../dead-letters/dead-letter-collector.ts';

/** The state of a listing in one generation. */
export interface ExplainedState {
  /** Version of the state document. */
  revision: number;
  /** ISO 8601. Absent if all known events are tombstones. */
  firstSeen?: string;
  /** Version of the last removal, and of the last calendar replacement; 0 if there was none. */
  removed: Version;
  replaced: Version;
  fields: Record<string, ExplainedField>;
  calendar: CalendarSummary;
  /** The kept dates in ascending order, YYYY-MM-DD. */
  dates: Record<string, ExplainedDate>;
}

interface ExplainedField {
  version: Version;
  /** The value `null` means that this version cleared the field. */
  value: unknown;
  /** Time at which the record with this version was written to Kafka, ISO 8601. Only with the history. */
  seenAt?: string;
}

/** A calendar date. Absent members: a removal or a replacement hides the date. */
export interface ExplainedDate {
  version?: Version;
  available?: boolean;
  /** In BRL. Absent if the date has the listing's price. */
  price?: number;
}

/** An event that changed nothing, because the listing has higher versions. */
interface ExplainedIgnored extends Omit<Ignored, 'time'> {
  /** Time of the event according to its source, ISO 8601. */
  time: string;
}

export interface CalendarSummary {
  /** Number of dates in the state. */
  kept: number;
  /** Number of dates not hidden by a removal or replacement. */
  visible: number;
  /** Number of available dates from `today` on. `today` is FEED_TODAY or the date in America/Sao_Paulo. */
  open: number;
  today: string;
}

/** The item in the index. */
interface ExplainedItem {
  /** Version of the item document, which is the revision of the state from which the item was derived. */
  revision: number;
  /** ISO 8601. */
  publishedAt: string;
  feedItem: FeedItem;
  /** Number of dates in its calendar. */
  calendarDates: number;
}

/** The listing's entry in the changes index. */
export interface ExplainedChange {
  state: ChangeState;
  /** Time of the write, ISO 8601. */
  at: string;
  /** Sequence number of the entry in its generation. */
  sequence: number;
  /** The change number that followers receive. Absent if the generation was never live. */
  changeNumber?: number;
}

/** A listing in one generation. */
export interface ExplainedGeneration {
  number: number;
  role: Role;
  /** The reason why the command could not read the generation. If present, the other members are absent. */
  trouble?: string;
  state?: ExplainedState;
  /** What the rules left out of the item. Absent if there is nothing. */
  dropped?: readonly DroppedMember[];
  /** The newest event of each source that changed nothing, newest first. Absent if there is none. */
  ignored?: readonly ExplainedIgnored[];
  /** The reason why this version's rules hide the listing. */
  hidden?: HiddenReason;
  /** The error that this version's rules raised for the state. */
  failure?: string;
  item?: ExplainedItem;
  /**
   * Absent if the listing was never in the feed of this generation, or the generation has no changes index.
   */
  change?: ExplainedChange;
  /**
   * Whether the item equals the item that this version's rules derive from the state, or is absent if the
   * rules hide the listing.
   */
  agrees?: boolean;
  /** Whether the generation was built with rules or mappings that this version does not write. */
  otherVersions?: boolean;
  /** Position in feed order, from 1. Absent if there is no item. */
  position?: { at: number; of: number };
}

/** A record of the events topic with the listing's key. */
export interface HistoryRecord {
  partition: number;
  offset: string;
  /**
   * Time at which the record was written to Kafka, ISO 8601. Absent if the producer's timestamp is
   * impossible, for example in nanoseconds. Such records follow all others.
   */
  at?: string;
  /** The kind of the event; `refused` if the record is a dead letter, `skipped` if its type is unknown. */
  kind: ListingEvent['kind'] | 'refused' | 'skipped';
  /** The source of the event. Absent for tombstones. */
  source?: string;
  version?: Version;
  /** Time of the event according to its source, ISO 8601. */
  time?: string;
  /** The fields that the event sets or clears. A snapshot sets all fields. */
  fields?: string[];
  /** Number of dates that the event sets. */
  dates?: number;
  /**
   * What the state of the live generation holds from this event: fields, `availability` for dates, `removed` for a
   * removal. Empty if later events replaced everything, or the event changed nothing. Absent without such a state.
   */
  inEffect?: string[];
  /** The reason of a refused record. */
  reason?: string;
}

/** The records that the events topic still holds. */
export interface ListingHistory {
  total: number;
  /** The newest records, newest first. At most 200. */
  newest: HistoryRecord[];
}

/** The reasons why a listing is or is not in the feed. */
export interface Explanation {
  id: string;
  /** Whether any generation or dead letter contains the listing. */
  found: boolean;
  /** The explanation in one sentence. */
  summary: string;
  generations: ExplainedGeneration[];
  deadLetters: DeadLetterList;
  /** Absent unless requested. */
  history?: ListingHistory;
}

const WHY: Record<Exclude<HiddenReason, 'removed'>, string> = {
  title: 'title (missing, or empty without markup)',
  price: 'price (no price above 0)',
  location: 'location (no city)',
  url: 'url (must be an http or https URL with a host and without credentials or white space)',
};

/** Describes why a listing is hidden. Pure. */
export function whyHidden(reason: HiddenReason, state: Pick<ExplainedState, 'removed'> | undefined): string {
  if (reason !== 'removed') return WHY[reason];
  return state ? `removed at version ${describeVersion(state.removed)}` : 'the listing has no state';
}

/** Describes why an event changed nothing. Pure. */
export function whyIgnored({ version, time, member, held }: Ignored): string {
  const at = new Date(time).toISOString();
  return `version ${grouped(version)} at ${at} changed nothing, because \`${member}\` has version ${grouped(held)}`;
}

/** A version with separators, because versions that are clocks have many digits. */
const grouped = (version: Version): string =>
  describeVersion(version).replace(/\d+/g, (digits) => SEPARATED.format(Number(digits)));

/** One formatter for all versions, because each call of `toLocaleString` builds another one. */
const SEPARATED = new Intl.NumberFormat('en');

/** Composes the first sentence of an explanation. Pure. */
export function summarize({ id, generations, deadLetters }: Omit<Explanation, 'summary' | 'found'>): string {
  const deadLetterNote =
    deadLetters.total > 0
      ? `, and ${deadLetters.total} of its records ` +
        `${deadLetters.total === 1 ? 'is a dead letter' : 'are dead letters'}`
      : '';
  const known = generations.filter(({ state, item }) => state || item);
  const not = `listing ${id} is not in the feed: `;
  const live = generations.find(({ role }) => role === 'live');
  if (!live) return `${not}no generation is live${deadLetterNote}`;
  if (live.trouble)
    return (
      `listing ${id}: could not read the live generation ${live.number} ` +
      `(${live.trouble})${deadLetterNote}`
    );
  const { state, item, hidden, failure, agrees, number } = live;
  if (failure !== undefined)
    return `listing ${id} is ${item ? '' : 'not '}in the feed, and ${failure}${deadLetterNote}`;
  if (item) {
    if (!state)
      return (
        `listing ${id} is in the feed, although generation ${number} has no state of this ` +
        `listing${deadLetterNote}. Run verify --self`
      );
    if (hidden)
      return (
        `listing ${id} is in the feed, although its state hides the listing: ` +
        `${whyHidden(hidden, state)}${deadLetterNote}. ${remedy(live)}`
      );
    return agrees
      ? `listing ${id} is in the feed${deadLetterNote}`
      : `listing ${id} is in the feed, but its item does not match its ` +
          `state${deadLetterNote}. ${remedy(live)}`;
  }
  if (state)
    return hidden
      ? `${not}${whyHidden(hidden, state)}${deadLetterNote}`
      : `${not}its item is missing, although its state is complete${deadLetterNote}. ${remedy(live)}`;
  if (known.length > 0)
    return (
      `${not}only generation ${known.map((one) => one.number).join(', ')} holds the listing, but ` +
      `generation ${number} is live${deadLetterNote}`
    );
  if (deadLetters.total > 0) return `${not}the listing has only dead letters (${deadLetters.total})`;
  return `listing ${id} is unknown, because no generation and no dead letter contains this listing id`;
}

/** Recommends an action if an item differs from the item that this code derives. */
export const remedy = ({ otherVersions }: ExplainedGeneration): string =>
  otherVersions ? 'The generation was built with other rules than those of this code' : 'Run verify --self';

/** Lists the dates of a calendar. Pure. */
export const explainDates = ({ dates }: ListingState): Record<string, ExplainedDate> =>
  Object.fromEntries(
    Object.entries(dates)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([date, entry]): [string, ExplainedDate] => {
        if (entry === HIDDEN) return [date, {}];
        const [version, available, price] = entry;
        return [date, { version, available, ...(price !== undefined && { price }) }];
      }),
  );

/**
 * Counts the dates of a calendar. Pure.
 * @param today YYYY-MM-DD
 */
export function summarizeCalendar({ dates }: ListingState, today: string): CalendarSummary {
  const visible = Object.entries(dates).flatMap(([date, entry]) =>
    entry === HIDDEN ? [] : [{ date, available: entry[1] }],
  );
  return {
    kept: Object.keys(dates).length,
    visible: visible.length,
    open: visible.filter(({ date, available }) => available && date >= today).length,
    today,
  };
}
