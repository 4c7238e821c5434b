import { FIELD_NAMES, MAX_VERSION_EPOCH, type Version, versionOf } from '@vitrine/listing-events';
import { SourceError } from './source-error.ts';

/** One listing in the source, as its line describes it. */
export interface SourceLine {
  /** The line's number, counted from 1. */
  line: number;
  id: string;
  /** The version, if the line names one. */
  version?: Version;
  /** The source's own values, under the names that the source uses. A member without a value is `null`. */
  members: Readonly<Record<string, unknown>>;
}

/** The parts of a location and of a provider that a source can name instead of the whole object. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  location: ['city', 'state', 'lat', 'lng'],
  provider: ['name', 'slug'],
};
const PART_NAMES = Object.entries(PARTS).flatMap(([name, parts]) => parts.map((part) => `${name}.${part}`));

/** Every name that a line may use, besides those of a whole event. */
const SOURCE_NAMES: ReadonlySet<string> = new Set([
  'id',
  'version',
  'version_epoch',
  ...FIELD_NAMES,
  'availability',
  ...PART_NAMES,
]);

const MAX_NESTING = 32;
const SNAPSHOT = 'marketplace.listing.snapshot';

/**
 * Checks the names that a line uses. Pure.
 * @throws SourceError that names the first one that is unknown, or cannot be compared
 */
export function checkNames(line: number, names: readonly string[]): void {
  const used = new Set(names);
  const unknown = names.find((name) => !SOURCE_NAMES.has(name));
  if (unknown !== undefined)
    throw new SourceError(
      line,
      `names ${JSON.stringify(unknown)}. A source can name: ${[...SOURCE_NAMES].join(', ')}`,
    );
  if (used.size < names.length) throw new SourceError(line, 'names a column twice');
  if (!used.has('id')) throw new SourceError(line, 'has no id');
  const together = (name: string, other: string) => {
    if (used.has(name) && !used.has(other))
      throw new SourceError(line, `names ${name}, which can be compared only together with ${other}`);
  };
  together('version_epoch', 'version');
  together('location.lat', 'location.lng');
  together('location.lng', 'location.lat');
  together('provider.slug', 'provider.name');
  const parts = names.find((name) => used.has(name.split('.')[0] as string) && name.includes('.'));
  if (parts !== undefined)
    throw new SourceError(line, `names both ${parts} and the whole ${parts.split('.')[0]}`);
}

/**
 * Reads one line that was parsed as JSON: a whole snapshot event, or an object with the names of a listing.
 * Pure.
 * @throws SourceError if it is neither, or names something unknown
 */
export function toSourceLine(line: number, parsed: unknown): SourceLine {
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new SourceError(line, 'is JSON but not an object');
  if (isTooDeep(parsed, MAX_NESTING))
    throw new SourceError(line, `is nested deeper than ${MAX_NESTING} levels`);
  const record = parsed as Record<string, unknown>;
  if (Object.hasOwn(record, 'specversion')) return fromEvent(line, record);
  checkNames(line, Object.keys(record));
  return fromRecord(line, record);
}

/**
 * Reads a record whose names `checkNames` accepts. A calendar without a value has no dates, because a query
 * that collects the dates of a listing returns NULL if there are none. Pure.
 * @throws SourceError if its id or its version is not valid
 */
export function fromRecord(line: number, record: Readonly<Record<string, unknown>>): SourceLine {
  const { id, version, version_epoch, ...members } = record;
  const named = versionFrom(line, version, version_epoch);
  return {
    line,
    id: idFrom(line, id),
    ...(named !== undefined && { version: named }),
    members: members.availability === null ? { ...members, availability: [] } : members,
  };
}

/** A snapshot clears every field that it does not name, so its line names all fields. */
function fromEvent(line: number, event: Readonly<Record<string, unknown>>): SourceLine {
  if (event.type !== SNAPSHOT)
    throw new SourceError(line, `is an event of type ${JSON.stringify(event.type)}, but not a snapshot`);
  const data = objectIn(line, event, 'data');
  const listing = objectIn(line, data, 'listing');
  const members: Record<string, unknown> = {};
  for (const name of FIELD_NAMES) members[name] = Object.hasOwn(listing, name) ? listing[name] : null;
  if (Object.hasOwn(listing, 'availability')) members.availability = listing.availability;
  return fromRecord(line, {
    id: event.subject,
    version: data.version,
    version_epoch: data.version_epoch,
    ...members,
  });
}

function objectIn(line: number, parent: Readonly<Record<string, unknown>>, name: string) {
  const value = parent[name];
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new SourceError(line, `is a snapshot event without ${name}`);
  return value as Record<string, unknown>;
}

function idFrom(line: number, id: unknown): string {
  if (typeof id !== 'string' || id === '')
    throw new SourceError(line, 'has an id that is not text. Cast it in the query, for example id::text');
  return id;
}

/** A version that is null does not count as named. */
function versionFrom(line: number, version: unknown, epoch: unknown): Version | undefined {
  if (version === undefined || version === null) return undefined;
  if (!Number.isSafeInteger(version) || (version as number) < 1)
    throw new SourceError(line, 'has a version that is not an integer from 1 to 2^53-1');
  const number = epoch ?? 0;
  if (!Number.isSafeInteger(number) || (number as number) < 0 || (number as number) > MAX_VERSION_EPOCH)
    throw new SourceError(line, `has a version_epoch that is not an integer from 0 to ${MAX_VERSION_EPOCH}`);
  return versionOf(number as number, version as number);
}

const isTooDeep = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isTooDeep(member, levels - 1)));

/** The top-level name of a member: `location` for `location.city`. */
export const topLevel = (name: string): string => name.split('.')[0] as string;

/**
 * Returns a line's members as the members of an event's listing. The parts of a location become one object,
 * and so do those of a provider. Pure.
 */
export function listingOf({ members }: Pick<SourceLine, 'members'>): Record<string, unknown> {
  const listing: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members)) {
    const [top, part] = name.split('.') as [string, string?];
    listing[top] = part === undefined ? value : { ...(listing[top] as object | undefined), [part]: value };
  }
  return listing;
}

/**
 * Returns the members that a snapshot needs besides those in the line. The list is empty if the line contains
 * the whole listing. Pure.
 */
export function missingForSnapshot({ members }: Pick<SourceLine, 'members'>): string[] {
  return FIELD_NAMES.flatMap((name) => {
    if (Object.hasOwn(members, name)) return [];
    const parts = (PARTS[name] ?? []).map((part) => `${name}.${part}`);
    const absent = parts.filter((part) => !Object.hasOwn(members, part));
    return absent.length === parts.length ? [name] : absent;
  });
}
