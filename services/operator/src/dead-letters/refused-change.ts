import { everyHeldMember, type ListingState } from '@vitrine/listing';
import {
  type CalendarDate,
  compareVersions,
  FIELD_NAMES,
  type FieldChanges,
  type ListingEvent,
  MAX_VERSION_EPOCH,
  type RawRecord,
  readEnvelope,
  type Version,
  versionOf,
} from '@vitrine/listing-events';

const TYPE = 'marketplace.listing.';
const EVERY_FIELD: FieldChanges = Object.fromEntries(FIELD_NAMES.map((name) => [name, null]));
/** An event's version is expected within this many bytes from its beginning. */
const BEGINNING_BYTES = 64 * 1024;
const VERSION = /"version"\s*:\s*"?(\d{1,16})\b/;
const EPOCH = /"version_epoch"\s*:\s*(\d{1,7})\b/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Reads what a refused record would have changed: its listing, its version, and the members that it names. If
 * a part is unreadable, the record counts as one that names everything, so no version of a single member
 * corrects it. Pure.
 * @returns undefined if the record names no listing or no version
 */
export function refusedChange({ key, value, headers = {} }: RawRecord): ListingEvent | undefined {
  if (value === null) return undefined;
  const name = key?.toString();
  let envelope: unknown;
  try {
    envelope = readEnvelope(value, headers);
  } catch {
    return unreadable(value, name);
  }
  const { type, subject, data } = membersOf(envelope);
  const { version, version_epoch: epoch = 0, listing, changes, dates, mode } = membersOf(data);
  const id = typeof subject === 'string' && subject !== '' ? subject : name;
  const at = versionIn(version, epoch);
  if (!id || at === undefined) return undefined;
  const head = { id, version: at };
  const everything = { ...head, ...everythingOf(dates !== undefined) };
  switch (typeof type === 'string' && type.startsWith(TYPE) ? type.slice(TYPE.length) : '') {
    case 'snapshot': {
      const { availability } = membersOf(listing);
      return availability === undefined || availability === null
        ? { ...head, kind: 'snapshot', fields: EVERY_FIELD }
        : { ...head, kind: 'snapshot', fields: EVERY_FIELD, dates: datesIn(availability) ?? [] };
    }
    case 'changed': {
      const fields = Object.fromEntries(
        FIELD_NAMES.filter((field) => Object.hasOwn(membersOf(changes), field)).map((field) => [field, null]),
      );
      return Object.keys(fields).length === 0 ? everything : { ...head, kind: 'changed', fields };
    }
    case 'availability_changed': {
      const known = datesIn(dates);
      return {
        ...head,
        kind: 'availability_changed',
        mode: known && known.length > 0 && mode !== 'replace' ? 'merge' : 'replace',
        dates: known ?? [],
      };
    }
    case 'removed':
      return { ...head, kind: 'removed' };
    default:
      return everything;
  }
}

/**
 * Finds the version that makes a refused change harmless: the lowest version that the state holds for the
 * members that the change names, if none of these versions is below the change's version. Pure.
 * @returns undefined if the change would still have an effect
 */
export function correctedBy(state: ListingState, change: ListingEvent): Version | undefined {
  let lowest: Version | undefined;
  const isHarmless = everyHeldMember(state, change, (member, held) => {
    const order = compareVersions(held, change.version);
    if (order < 0) return false;
    // A removal also hides content that has the same version, but a replacement of the calendar does not hide
    // dates that have the same version.
    if (order === 0 && change.kind === 'removed' && member !== 'removed') return false;
    const isMerge = change.kind === 'availability_changed' && change.mode === 'merge';
    if (order === 0 && isMerge && member === 'replaced') return false;
    if (lowest === undefined || compareVersions(held, lowest) < 0) lowest = held;
    return true;
  });
  return isHarmless ? lowest : undefined;
}

/** A record that is not an event may still name its version, for example if its text ends too early. */
function unreadable(value: Buffer, id: string | undefined): ListingEvent | undefined {
  const text = value.subarray(0, BEGINNING_BYTES).toString();
  const at = versionIn(VERSION.exec(text)?.[1], EPOCH.exec(text)?.[1] ?? 0);
  return id && at !== undefined
    ? { id, version: at, ...everythingOf(/"(availability|dates)"/.test(text)) }
    : undefined;
}

const everythingOf = (hasCalendar: boolean) => ({
  kind: 'snapshot' as const,
  fields: EVERY_FIELD,
  ...(hasCalendar && { dates: [] }),
});

/** Versions of a wrong type are a common fault, so a string of digits is enough. */
function versionIn(version: unknown, epoch: unknown): Version | undefined {
  const [number, of] = [version, epoch].map((one) =>
    typeof one === 'string' && /^\d{1,16}$/.test(one) ? Number(one) : one,
  );
  if (!Number.isSafeInteger(number) || (number as number) < 1) return undefined;
  if (!Number.isSafeInteger(of) || (of as number) < 0 || (of as number) > MAX_VERSION_EPOCH) return undefined;
  return versionOf(of as number, number as number);
}

/** Returns undefined if any entry is not a date. */
function datesIn(value: unknown): CalendarDate[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const dates = value.map((entry) => membersOf(entry).date);
  if (!dates.every((date): date is string => typeof date === 'string' && DATE.test(date))) return undefined;
  return dates.map((date) => ({ date, available: false }));
}

const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
