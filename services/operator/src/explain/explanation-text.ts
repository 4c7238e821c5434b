import { type BuiltInReason, type HiddenReason, type Ignored, isBuiltIn, type Rules } from '@vitrine/listing';
import { describeVersion, type Version } from '@vitrine/listing-events';
import type { ExplainedGeneration, ExplainedState, Explanation } from './explanation.ts';

const WHY: Record<Exclude<BuiltInReason, 'removed'>, string> = {
  title: 'title (missing, or empty without markup)',
  price: 'price (no price above 0)',
  location: 'location (no city)',
  url: 'url (must be an http or https URL with a host and without credentials or white space)',
};

/**
 * Describes why a listing is hidden. Pure.
 * @param rules contain the text of each reason that a rules module declares
 */
export function whyHidden(
  reason: HiddenReason,
  state: Pick<ExplainedState, 'removed'> | undefined,
  { reasons = {} }: Pick<Rules, 'reasons'>,
): string {
  if (!isBuiltIn(reason)) return Object.hasOwn(reasons, reason) ? `${reason} (${reasons[reason]})` : reason;
  if (reason !== 'removed') return WHY[reason];
  return state ? `removed at version ${describeVersion(state.removed)}` : 'the listing has no state';
}

/** Describes why the rules hide an explained listing. Pure. */
export const whyOf = ({ hidden, why, state }: ExplainedGeneration): string =>
  why ?? (hidden === undefined ? '' : whyHidden(hidden, state, {}));

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
        `${whyOf(live)}${deadLetterNote}. ${remedy(live)}`
      );
    return agrees
      ? `listing ${id} is in the feed${deadLetterNote}`
      : `listing ${id} is in the feed, but its item does not match its ` +
          `state${deadLetterNote}. ${remedy(live)}`;
  }
  if (state)
    return hidden
      ? `${not}${whyOf(live)}${deadLetterNote}`
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
