import {
  type DroppedMember,
  deriveSafely,
  droppedMembers,
  EMPTY_STATE,
  fold,
  HIDDEN,
  type HiddenReason,
  isBuiltIn,
  type ListingState,
  MAX_DATES,
  type Rules,
  supersededBy,
} from '@vitrine/listing';
import {
  compareVersions,
  describeVersion,
  type ListingEvent,
  shortJson,
  type Version,
} from '@vitrine/listing-events';
import { LISTING_FAILED } from '@vitrine/projection/dead-letters';
import { describePosition, type Position } from './position.ts';
import type { StoredEvent } from './stored-event.ts';
import { VersionRanges } from './version-ranges.ts';
import type { Warning } from './warnings.ts';

/** The outcome of all events for a listing. */
export interface ListingResult {
  /** Why the listing is not in the feed. The reason is absent if the listing is in the feed. */
  hidden?: string;
  /** The value of the field that causes the listing to be hidden, as short JSON. */
  unusable?: string;
  dropped: DroppedMember[];
}

/** The clocks of two machines differ by less than this. */
const CLOCK_SKEW_MS = 60_000;

/** Folds the events of one listing in the order of the input, and collects what looks like a mistake. */
export class CheckedListing {
  readonly #id: string;
  readonly #now: number;
  #state: ListingState = EMPTY_STATE;
  readonly #ranges = new VersionRanges();
  /** Maps each version to the content of its first event. */
  readonly #contents = new Map<Version | string, number>();
  #firstChange: Position | undefined;
  #hasSnapshot = false;
  #adTypeChange: { version: Version; from: string; to: string; position: Position } | undefined;
  /** The dates that the fold dropped. Almost all listings have fewer dates than the limit. */
  readonly #droppedDates = new Set<string>();
  readonly #onWarning: (warning: Warning) => void;

  /**
   * @param now epoch milliseconds
   * @param onWarning receives each warning at once, because a listing may have as many warnings as events
   */
  constructor(id: string, now: number, onWarning: (warning: Warning) => void) {
    this.#id = id;
    this.#now = now;
    this.#onWarning = onWarning;
  }

  add({ event, position, contentHash }: StoredEvent): void {
    const { version, source, time } = event;
    if (time !== undefined && time > this.#now + CLOCK_SKEW_MS)
      this.#warn('future-time', position, `the time is ${new Date(time).toISOString()}`);
    const key = typeof version === 'number' ? version : version.join();
    const content = this.#contents.get(key);
    if (content === contentHash) return;
    if (content === undefined) this.#contents.set(key, contentHash);
    else
      this.#warn('same-version', position, `an earlier event with other content also has ${named(version)}`);
    if (source !== undefined) this.#ranges.add(source, version);
    const held = supersededBy(this.#state, event);
    if (held)
      this.#warn(
        'superseded',
        position,
        `${named(version)} of ${source ?? 'a tombstone'} changes nothing, ` +
          `because ${held.member} has ${named(held.held)}`,
      );
    if (event.kind === 'snapshot') this.#hasSnapshot = true;
    if (event.kind === 'changed') {
      this.#firstChange ??= position;
      this.#watchAdType(event, position);
    }
    this.#fold(event);
  }

  /** Derives the item after the last event. */
  result(rules: Rules): ListingResult {
    const { item, hidden, failure } = deriveSafely(rules, this.#id, this.#state);
    if (this.#firstChange && !this.#hasSnapshot)
      this.#warn('no-snapshot', this.#firstChange, 'the input has no accepted snapshot of the listing');
    this.#checkCalendar();
    const unusable = failure ?? this.#valueOf(hidden);
    for (const warning of this.#ranges.warnings()) this.#onWarning(warning);
    return {
      ...(!item && { hidden: failure === undefined ? hidden : LISTING_FAILED }),
      ...(unusable !== undefined && { unusable }),
      dropped: droppedMembers(this.#state, this.#droppedDates.size),
    };
  }

  #valueOf(name: HiddenReason | undefined): string | undefined {
    const value =
      name === undefined || name === 'removed' || !isBuiltIn(name)
        ? undefined
        : this.#state.fields[name]?.[1];
    return value === undefined || value === null ? undefined : shortJson(value);
  }

  #warn(kind: Warning['kind'], position: Position, detail: string): void {
    this.#onWarning({ kind, detail: `${describePosition(position)}: ${detail}` });
  }

  #fold(event: ListingEvent): void {
    const before = this.#state;
    this.#state = fold(before, [event]);
    if (!('dates' in event) || !event.dates) return;
    const known = Object.keys(before.dates);
    if (known.length + event.dates.length <= MAX_DATES) return;
    for (const date of [...known, ...event.dates.map(({ date }) => date)])
      if (!Object.hasOwn(this.#state.dates, date)) this.#droppedDates.add(date);
  }

  #watchAdType({ version, fields }: ListingEvent & { kind: 'changed' }, position: Position): void {
    const [held, from] = this.#state.fields.ad_type ?? [0, null];
    const to = fields.ad_type;
    if (!from || !to || from === to || compareVersions(version, held) <= 0) return;
    const earlier = this.#adTypeChange;
    // A change that the source reverts is not a mistake.
    this.#adTypeChange = earlier?.from === to ? undefined : { version, from, to, position };
  }

  #checkCalendar(): void {
    const change = this.#adTypeChange;
    if (!change || this.#state.fields.ad_type?.[1] !== change.to) return;
    const staying = Object.values(this.#state.dates).filter(
      (entry) => entry !== HIDDEN && compareVersions(entry[0], change.version) < 0,
    ).length;
    if (staying > 0)
      this.#warn(
        'calendar-stays',
        change.position,
        `ad_type changes from ${change.from} to ${change.to}, but ${staying} dates of ${change.from} stay`,
      );
  }
}

const named = (version: Version): string => `version ${describeVersion(version)}`;
