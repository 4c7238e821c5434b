import { type BuiltInReason, type HiddenReason, type Ignored, isBuiltIn, type Rules } from '@vitrine/listing';
import { describeVersion, type Version } from '@vitrine/listing-events';
import type { ExplainedGeneration, ExplainedState, Explanation, Verdict } from './explanation.ts';

const WHY: Record<Exclude<BuiltInReason, 'removed'>, string> = {
  title: 'title (missing, or empty without markup)',
  price: 'price (no price above 0)',
  location: 'location (no city)',
  url: 'url (must be an http or https URL with a host and without credentials or white space)',
};

/**
 * Describes why a listing is hidden. Pure.
 * @param rules the rules, with the text for each reason that a rules module declares
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

/** Formats a version with separators, because versions that come from clocks have many digits. */
const grouped = (version: Version): string =>
  describeVersion(version).replace(/\d+/g, (digits) => SEPARATED.format(Number(digits)));

/** All versions share one formatter, because each call to `toLocaleString` builds another one. */
const SEPARATED = new Intl.NumberFormat('en');

/** Determines why a listing is or is not in the feed. Pure. */
export function verdictOf({ generations, deadLetters }: Explained): Verdict {
  const live = generations.find(({ role }) => role === 'live');
  if (!live) return 'no-live-generation';
  const { trouble, state, item, hidden, failure, agrees } = live;
  if (trouble) return 'unreadable';
  if (failure !== undefined) return 'rules-failed';
  if (item && !state) return 'in-without-state';
  if (item && hidden) return 'in-although-hidden';
  if (item) return agrees ? 'in' : 'in-but-different';
  if (state) return hidden ? 'hidden' : 'item-missing';
  if (generations.some((one) => one.state || one.item)) return 'not-in-live-generation';
  return deadLetters.total > 0 ? 'only-dead-letters' : 'unknown';
}

type Explained = Pick<Explanation, 'generations' | 'deadLetters'>;

/** Composes the first sentence of an explanation. Pure. */
export function summarize({ id, generations, deadLetters }: Explained & { id: string }): string {
  const { total, retried, dismissed, corrected } = deadLetters;
  const open = total - retried - dismissed - corrected;
  const note =
    open > 0
      ? `, and ${open} of its records ${open === 1 ? 'is an open dead letter' : 'are open dead letters'}`
      : '';
  const live = generations.find(({ role }) => role === 'live') ?? { number: 0, role: 'live' };
  const { number, trouble, item, failure } = live;
  const holders = generations.filter((one) => one.state || one.item).map((one) => one.number);
  const not = `listing ${id} is not in the feed: `;
  const sentences: Record<Verdict, string> = {
    in: `listing ${id} is in the feed${note}`,
    'in-without-state':
      `listing ${id} is in the feed, although generation ${number} has no state of this ` +
      `listing${note}. Run verify --self`,
    'in-although-hidden':
      `listing ${id} is in the feed, although its state hides the listing: ` +
      `${whyOf(live)}${note}. ${remedy(live)}`,
    'in-but-different': `listing ${id} is in the feed, but its item does not match its state${note}. ${remedy(live)}`,
    hidden: `${not}${whyOf(live)}${note}`,
    'item-missing': `${not}its item is missing, although its state is complete${note}. ${remedy(live)}`,
    'rules-failed': `listing ${id} is ${item ? '' : 'not '}in the feed, and ${failure}${note}`,
    'not-in-live-generation':
      `${not}only generation ${holders.join(', ')} holds the listing, but ` +
      `generation ${number} is live${note}`,
    'only-dead-letters': `${not}the listing has only dead letters (${total})`,
    unknown: `listing ${id} is unknown, because no generation and no dead letter contains this listing id`,
    'no-live-generation': `${not}no generation is live${note}`,
    unreadable: `listing ${id}: could not read the live generation ${number} (${trouble})${note}`,
  };
  return sentences[verdictOf({ generations, deadLetters })];
}

/** Recommends an action if an item differs from the item that this code derives. */
export const remedy = ({ otherVersions }: ExplainedGeneration): string =>
  otherVersions ? 'The generation was built with other rules than those of this code' : 'Run verify --self';
