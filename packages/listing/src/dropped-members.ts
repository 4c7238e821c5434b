import { type FieldName, instantFault, type ListingFields, shortJson } from '@vitrine/listing-events';
import { type ListingState, MAX_DATES } from './listing-state.ts';
import { normalizeUrl } from './listing-url.ts';
import {
  fieldValue,
  images,
  MAX_RATING,
  MAX_REVIEW_COUNT,
  point,
  provider,
  rating,
  reviewCount,
} from './optional-members.ts';
import { normalizeText, slugify } from './text.ts';

/** A member of a listing whose value the rules left out of the item, completely or in part. */
export interface DroppedMember {
  /** The top-level name of the member. */
  member: FieldName | 'availability';
  /** The reason, for people. */
  detail: string;
}

/** Returns why the rules drop a value or a part of it, or undefined if they keep all of it. */
type Fault<K extends FieldName> = (raw: ListingFields[K]) => string | undefined;

const FAULTS: { [K in FieldName]?: Fault<K> } = {
  description: (raw) => textFault(raw, normalizeText),
  category: (raw) => textFault(raw, slugify),
  sub_category: (raw) => textFault(raw, slugify),
  location: (raw) => {
    const { lat, lng, state } = raw;
    const faults = [
      (typeof lat === 'number' || typeof lng === 'number') &&
        point(raw) === undefined &&
        `has ${typeof lat === 'number' ? 'lat without lng' : 'lng without lat'}`,
      state && textFault(state, normalizeText) && `has a state without text: ${shortJson(state)}`,
    ];
    return faults.filter(Boolean).join(' and ') || undefined;
  },
  provider: (raw) => (provider(raw) ? undefined : 'has no name'),
  rating: (raw) => (rating(raw) === undefined ? `${raw} is not between 0 and ${MAX_RATING}` : undefined),
  review_count: (raw) =>
    reviewCount(raw) === undefined ? `${raw} is not an integer from 0 to ${MAX_REVIEW_COUNT}` : undefined,
  images: imagesFault,
  published_at: (raw) => instantFault(raw),
};

/** The members that the rules can drop. Filters accept these names. */
export const DROPPED_MEMBERS: readonly DroppedMember['member'][] = [
  ...(Object.keys(FAULTS) as FieldName[]),
  'availability',
];

/** Blank text counts as absent, so nothing is lost. Other text is lost if the rules leave nothing of it. */
const textFault = (raw: string, rule: (raw: string) => string | undefined): string | undefined =>
  raw.trim() !== '' && rule(raw) === undefined
    ? `${shortJson(raw)} has no ${rule === slugify ? 'letters from a to z and no digits' : 'visible text'}`
    : undefined;

/** Dropping a repeated image is not a loss. */
function imagesFault(raw: string[]): string | undefined {
  if (images(raw)?.length === raw.length) return undefined;
  const invalid = raw.filter((image) => normalizeUrl(image) === undefined);
  if (invalid.length === 0) return undefined;
  return `${invalid.length} of ${raw.length} have no valid URL, for example ${shortJson(invalid[0])}`;
}

/**
 * Returns what the rules dropped from a listing's content, for visible and hidden listings. Each member
 * occurs at most once. Pure.
 * @param droppedDates the number of dates that the fold dropped, if the caller counted them. Without this
 * number, a calendar at its limit counts as cut, because the state does not contain the dropped dates.
 */
export function droppedMembers(state: ListingState, droppedDates?: number): DroppedMember[] {
  const dropped: DroppedMember[] = [];
  for (const [name, fault] of Object.entries(FAULTS) as [FieldName, Fault<FieldName>][]) {
    const raw = fieldValue(state, name);
    const detail = raw === undefined ? undefined : fault(raw as never);
    if (detail !== undefined) dropped.push({ member: name, detail });
  }
  const dates = datesFault(state, droppedDates);
  if (dates !== undefined) dropped.push({ member: 'availability', detail: dates });
  return dropped;
}

function datesFault({ dates }: ListingState, dropped: number | undefined): string | undefined {
  if (dropped !== undefined)
    return dropped > 0 ? `${dropped} dates beyond the latest ${MAX_DATES}` : undefined;
  return Object.keys(dates).length < MAX_DATES
    ? undefined
    : `the calendar has its maximum of ${MAX_DATES} dates, so earlier dates are dropped`;
}
