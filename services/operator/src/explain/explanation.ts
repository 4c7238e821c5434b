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
  /** The version of the state document. */
  revision: number;
  /** The time in ISO 8601, which is absent if all known events are tombstones. */
  firstSeen?: string;
  /** The versions of the last removal and of the last calendar replacement, or 0 if there was none. */
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
  /**
   * The time (ISO 8601) at which the record with this version was written to Kafka. It is present only with
   * the history.
   */
  seenAt?: string;
}

/** A calendar date. Its members are absent if a removal or a replacement hides the date. */
export interface ExplainedDate {
  version?: Version;
  available?: boolean;
  /** The price in BRL, which is absent if the date has the listing's price. */
  price?: number;
}

/** An event that changed nothing, because the listing has higher versions. */
interface ExplainedIgnored extends Omit<Ignored, 'time'> {
  /** The time of the event according to its source, in ISO 8601. */
  time: string;
}

export interface CalendarSummary {
  /** The number of dates in the state. */
  kept: number;
  /** The number of dates not hidden by a removal or replacement. */
  visible: number;
  /**
   * The number of available dates from `today` on. `today` is FEED_TODAY or the date in America/Sao_Paulo.
   */
  open: number;
  today: string;
}

interface ExplainedItem {
  /** The version of the item document, which is the revision of the state from which the item was derived. */
  revision: number;
  /** The time of publication in ISO 8601. */
  publishedAt: string;
  feedItem: FeedItem;
  calendarDates: number;
}

/** The listing's entry in the changes index. */
export interface ExplainedChange {
  state: ChangeState;
  /** The time of the write in ISO 8601. */
  at: string;
  /** The sequence number of the entry in its generation. */
  sequence: number;
  /** The change number that followers receive. It is absent if the generation was never live. */
  changeNumber?: number;
}

export interface ExplainedGeneration {
  number: number;
  role: Role;
  /**
   * The reason why the command could not read the generation. If there is such a reason, the other members
   * are absent.
   */
  trouble?: string;
  state?: ExplainedState;
  /** What the rules left out of the item, if anything. */
  dropped?: readonly DroppedMember[];
  /**
   * For each source, the newest event that changed nothing, in descending order of time. The list is absent
   * if there is none.
   */
  ignored?: readonly ExplainedIgnored[];
  /** The reason why this version's rules hide the listing. */
  hidden?: HiddenReason;
  /** The same reason as text for people. */
  why?: string;
  /** The error that this version's rules raised for the state. */
  failure?: string;
  item?: ExplainedItem;
  /**
   * The entry, which is absent if the listing was never in this generation's feed, or the generation has no
   * changes index.
   */
  change?: ExplainedChange;
  /**
   * Whether the item equals the item that this version's rules derive from the state, or is absent if the
   * rules hide the listing.
   */
  agrees?: boolean;
  /** Whether the generation was built with rules or mappings that this version does not write. */
  otherVersions?: boolean;
  /** The position in feed order, counted from 1. It is absent if there is no item. */
  position?: { at: number; of: number };
}

/** A record in the events topic with the listing's key. */
export interface HistoryRecord {
  partition: number;
  offset: string;
  /**
   * The time (ISO 8601) at which the record was written to Kafka. It is absent if the producer's timestamp is
   * impossible, for example in nanoseconds. Such records follow all others.
   */
  at?: string;
  /** The kind of the event; `refused` if the record is a dead letter, `skipped` if its type is unknown. */
  kind: ListingEvent['kind'] | 'refused' | 'skipped';
  /** The source of the event, which is absent for tombstones. */
  source?: string;
  version?: Version;
  /** The time of the event according to its source, in ISO 8601. */
  time?: string;
  /** The fields that the event sets or clears. A snapshot sets all fields. */
  fields?: string[];
  /** The number of dates that the event sets. */
  dates?: number;
  /**
   * What the state of the live generation holds from this event: fields, `availability` for dates, `removed`
   * for a removal. The list is empty if later events replaced everything, or if the event changed nothing. It
   * is absent if there is no such state.
   */
  inEffect?: string[];
  reason?: string;
}

/** The records that the events topic still holds. */
export interface ListingHistory {
  total: number;
  /** The newest records, newest first. There are at most 200. */
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
  /** The history, if it was requested. */
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
