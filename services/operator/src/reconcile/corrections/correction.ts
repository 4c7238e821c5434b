import { hash } from 'node:crypto';
import {
  type ComposedEvent,
  compareVersions,
  composeEvent,
  decodeRecord,
  EVENT_HEADERS,
  type EventParts,
  epochOf,
  MAX_VERSION_EPOCH,
  numberOf,
  type Version,
  versionOf,
} from '@vitrine/listing-events';
import { listingOf, missingForSnapshot, type SourceLine } from '../source/source-line.ts';

/** A CloudEvent that corrects a listing, or the reason why no event can. */
export type Correction =
  | { event: ComposedEvent; why?: never }
  | { why: 'incomplete-line' | 'refused' | 'no-version' | 'only-version'; detail: string; event?: never };

/** What all corrections of a comparison share. */
export interface CorrectionOptions {
  /** The moment of the dump in ISO 8601. */
  asOf: string;
  /** The highest number that the projector accepts in a version. By default, it accepts all numbers. */
  maxVersion?: number | undefined;
}

/** The CloudEvents source of the corrections. */
const CORRECTIONS_SOURCE = 'vitrine/reconcile';

/**
 * The version of a correction is the one above the listing's highest version, in the same epoch. If the
 * projector accepts no higher version in this epoch, it is the first version of the next epoch. A line whose
 * own version is higher keeps that version, because the correction then equals the event that the source
 * should have sent. Pure.
 * @param maxVersion the highest number that the projector accepts in a version
 * @returns undefined if there is no higher version
 */
export function correctingVersion(
  highest: Version | undefined,
  own?: Version,
  maxVersion = Number.MAX_SAFE_INTEGER,
): Version | undefined {
  const isOwn = own !== undefined && numberOf(own) <= maxVersion;
  if (isOwn && (highest === undefined || compareVersions(own, highest) > 0)) return own;
  if (highest === undefined) return 1;
  const [epoch, number] = [epochOf(highest), numberOf(highest)];
  if (number < maxVersion) return versionOf(epoch, number + 1);
  return epoch < MAX_VERSION_EPOCH ? versionOf(epoch + 1, 1) : undefined;
}

/** The event that removes a listing. Pure. */
export const removalOf = (
  id: string,
  highest: Version | undefined,
  { asOf, maxVersion }: CorrectionOptions,
): Correction =>
  correction(id, asOf, correctingVersion(highest, undefined, maxVersion), {
    type: 'removed',
    data: { reason: 'reconcile' },
  });

/** The snapshot with the content of a line. Pure. */
export function snapshotOf(
  line: SourceLine,
  highest: Version | undefined,
  { asOf, maxVersion }: CorrectionOptions,
): Correction {
  const absent = missingForSnapshot(line);
  if (absent.length > 0) return { why: 'incomplete-line', detail: absent.join(', ') };
  return correction(line.id, asOf, correctingVersion(highest, line.version, maxVersion), {
    type: 'snapshot',
    data: { listing: listingOf(line) },
  });
}

function correction(
  id: string,
  time: string,
  version: Version | undefined,
  { type, data }: Pick<EventParts, 'type' | 'data'>,
): Correction {
  if (version === undefined)
    return { why: 'no-version', detail: 'the listing already has the highest possible version' };
  // The same difference gives the same event, so a repeated run publishes a duplicate.
  const digest = hash('sha256', JSON.stringify([id, type, version, data]), 'hex');
  const event = composeEvent({
    id: `reconcile-${digest.slice(0, 32)}`,
    source: CORRECTIONS_SOURCE,
    type,
    listingId: id,
    time,
    version,
    data,
  });
  const value = Buffer.from(JSON.stringify(event));
  const decoded = decodeRecord({ key: Buffer.from(id), value, headers: EVENT_HEADERS });
  return decoded.outcome === 'event'
    ? { event }
    : { why: 'refused', detail: decoded.outcome === 'refused' ? decoded.detail : decoded.type };
}
