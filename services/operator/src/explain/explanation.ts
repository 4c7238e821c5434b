import type { ChangeState, FeedItem } from '@vitrine/feed-index';
import {
  type DroppedMember,
  HIDDEN,
  type HiddenReason,
  type Ignored,
  type ListingState,
} from '@vitrine/listing';
import type { ListingEvent, Version } from '@vitrine/listing-events';
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

interface ExplainedItem {
  /** Version of the item document, which is the revision of the state from which the item was derived. */
  revision: number;
  /** ISO 8601. */
  publishedAt: string;
  feedItem: FeedItem;
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
  /** The same reason as a text for people. */
  why?: string;
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
  reason?: string;
}

/** The records that the events topic still holds. */
export interface ListingHistory {
  total: number;
  /** The newest records, newest first. At most 200. */
  newest: HistoryRecord[];
}

/** Why a listing is or is not in the feed, as a code that a page can translate. */
export type Verdict =
  | 'in'
  | 'in-without-state'
  | 'in-although-hidden'
  | 'in-but-different'
  | 'hidden'
  | 'item-missing'
  | 'rules-failed'
  | 'not-in-live-generation'
  | 'only-dead-letters'
  | 'unknown'
  | 'no-live-generation'
  | 'unreadable';

/** The reasons why a listing is or is not in the feed. */
export interface Explanation {
  id: string;
  /** Whether any generation or dead letter contains the listing. */
  found: boolean;
  verdict: Verdict;
  /** The verdict in one sentence. */
  summary: string;
  generations: ExplainedGeneration[];
  deadLetters: DeadLetterList;
  /** Absent unless requested. */
  history?: ListingHistory;
}

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
