import { type Availability, type FeedItem, type ModuleVersion, withModule } from '@vitrine/feed-index';
import type { AdType } from '@vitrine/feed-index/ad-types';
import {
  deriveItem,
  HIDDEN_REASONS,
  type HiddenReason,
  type ModuleReason,
  RULES,
  type Rules,
} from './derive-item.ts';
import { describeValue } from './describe-value.ts';
import type { ListingState } from './listing-state.ts';
import { TEXT_MEMBERS, type TextRules } from './text-rules.ts';

/** A complete listing in the form that the built-in rules and the text rules derive. */
export interface CompleteListing extends Readonly<FeedItem> {
  readonly ad_type?: AdType;
  /** The coordinates in degrees. */
  readonly point?: { readonly lat: number; readonly lon: number };
  /** Every date in the calendar, in ascending order. */
  readonly calendar: readonly Readonly<Availability>[];
}

/**
 * Rules that a marketplace adds to the built-in rules (docs/operate/rules-module.md). All functions must be
 * synchronous and pure: the same argument must always give the same result.
 * @typeParam R the reasons
 */
export interface RulesModule<R extends string = string> {
  /** The name consists of at most 40 lowercase letters, digits and hyphens, and begins with a letter. */
  name: string;
  /** A positive integer. Raise it with every change to the module. Only a rebuild applies the change. */
  version: number;
  /** Reason -> text for people, for example `{ image: 'the listing has no usable image' }`. */
  reasons?: Readonly<Record<R, string>>;
  /** Returns the reason why a complete listing must not be in the feed, or undefined if it may be. */
  hide?(listing: CompleteListing): R | undefined;
  /** Changes texts before the other rules see them. */
  text?: TextRules;
}

/** Gives a module's reasons their type, so that the compiler finds a misspelled reason. */
export const defineRules = <const R extends string = never>(module: RulesModule<R>): RulesModule<R> => module;

const NAME = /^[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?$/;
const NAME_RULE = 'must begin with a letter and have at most 40 lowercase letters, digits and hyphens';
/**
 * A module cannot define these reasons, because the command line reports them (docs/operate/reconcile.md).
 */
const RESERVED: readonly string[] = [...HIDDEN_REASONS, 'failed', 'listing-failed'];
/**
 * The limit exists because each reason becomes a metric label, and a bucket in the count of hidden listings.
 */
const MAX_REASONS = 50;
const MAX_REASON_TEXT = 200;
const MEMBERS = ['name', 'version', 'reasons', 'hide', 'text'];

/**
 * Describes all faults in the value that a module exports. Pure.
 * @returns an empty list for a valid module
 */
export function rulesModuleFaults(value: unknown): string[] {
  if (!isRecord(value)) return ['the default export must be an object, for example defineRules({ … })'];
  const { name, version, reasons = {}, hide, text = {} } = value;
  return [
    ...unknownMembers('', value, MEMBERS),
    ...(typeof name === 'string' && NAME.test(name) ? [] : [`name ${NAME_RULE}`]),
    ...(Number.isSafeInteger(version) && (version as number) > 0
      ? []
      : ['version must be a positive integer']),
    ...reasonFaults(reasons),
    ...(hide === undefined || typeof hide === 'function' ? [] : ['hide must be a function']),
    ...(hide !== undefined && isRecord(reasons) && Object.keys(reasons).length === 0
      ? ['hide needs reasons: an object with a text for each reason']
      : []),
    ...textFaults(text),
    ...(value.hide === undefined && (!isRecord(text) || Object.keys(text).length === 0)
      ? ['the module must have hide or text']
      : []),
  ];
}

function reasonFaults(reasons: unknown): string[] {
  if (!isRecord(reasons)) return ['reasons must be an object with a text for each reason'];
  const names = Object.keys(reasons);
  return [
    ...(names.length > MAX_REASONS ? [`reasons must have at most ${MAX_REASONS} members`] : []),
    ...names.flatMap((reason) => {
      const shown = `the reason ${JSON.stringify(reason)}`;
      const text = reasons[reason];
      return [
        ...(RESERVED.includes(reason) ? [`${shown} is one of Vitrine's own reasons`] : []),
        ...(NAME.test(reason) ? [] : [`${shown} ${NAME_RULE}`]),
        ...(typeof text === 'string' && text.trim() !== '' && text.length <= MAX_REASON_TEXT
          ? []
          : [`${shown} must have a text of 1 to ${MAX_REASON_TEXT} characters`]),
      ];
    }),
  ];
}

function textFaults(text: unknown): string[] {
  if (!isRecord(text)) return ['text must be an object with a function for each member'];
  return [
    ...unknownMembers('text.', text, TEXT_MEMBERS),
    ...Object.entries(text).flatMap(([member, rule]) =>
      typeof rule === 'function' ? [] : [`text.${member} must be a function`],
    ),
  ];
}

const unknownMembers = (path: string, value: object, known: readonly string[]): string[] =>
  Object.keys(value)
    .filter((member) => !known.includes(member))
    .map((member) => `${path}${member} is unknown; the members are ${known.join(', ')}`);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns the built-in rules together with a module's rules. `derive` throws if the module throws, or if the
 * module returns an invalid value. Pure.
 * @param module without faults
 * @param fingerprint identifies the content of the module
 */
export function rulesWith(module: RulesModule, fingerprint: ModuleVersion['fingerprint']): Rules {
  const { name, version, reasons = {}, text } = module;
  const complete = (id: string, state: ListingState) => deriveItem(id, state, text);
  return {
    version: withModule(RULES.version, { name, version, fingerprint }),
    reasons,
    complete,
    derive(id, state) {
      const derived = complete(id, state);
      if (!derived.item || !module.hide) return derived;
      const { feed_item, ad_type, point, calendar } = derived.item;
      const listing = { ...feed_item, ...(ad_type && { ad_type }), ...(point && { point }), calendar };
      const reason: unknown = module.hide(frozen(listing));
      if (reason === undefined) return derived;
      if (typeof reason !== 'string' || !Object.hasOwn(reasons, reason))
        throw new TypeError(
          `hide of the rules module ${name} returned ${describeValue(reason)}, which is neither undefined nor one of ` +
            `its reasons (${Object.keys(reasons).join(', ')})`,
        );
      return { hidden: reason as ModuleReason };
    },
  };
}

/**
 * Freezes the argument of `hide`, because the argument shares parts with the item. A module must not change
 * what the built-in rules derived.
 */
function frozen<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) frozen(part);
  return Object.freeze(value);
}

/** All reasons of these rules, in the order in which they are checked. Pure. */
export const reasonsOf = ({ reasons = {} }: Pick<Rules, 'reasons'>): HiddenReason[] => [
  ...HIDDEN_REASONS,
  ...(Object.keys(reasons) as ModuleReason[]),
];
