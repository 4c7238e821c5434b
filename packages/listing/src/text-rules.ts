import { describeValue } from './describe-value.ts';
import { normalizeText, slugify } from './text.ts';

/** The texts that a rules module can change. `provider` stands for the provider's name. */
export const TEXT_MEMBERS = [
  'title',
  'description',
  'category',
  'sub_category',
  'city',
  'state',
  'provider',
] as const;
export type TextMember = (typeof TEXT_MEMBERS)[number];

/**
 * The maximum number of characters by which a rule may lengthen a text. Without a maximum, a feed could grow
 * without limit.
 */
const MAX_LONGER = 1_000;

/**
 * Each rule receives normalized text, and returns the text to use instead. An empty string counts as absent.
 */
export type TextRules = { readonly [M in TextMember]?: (text: string) => string };

/** Applies the rules to a listing's texts. */
export interface Texts {
  /** Returns the text for people. @throws TypeError if the rule returns no string, or one that is too long */
  text(member: TextMember, raw: string | null | undefined): string | undefined;
  /**
   * Returns the slug of the same text, so that filters and lists of filter values agree. @throws TypeError
   */
  slug(member: TextMember, raw: string | null | undefined): string | undefined;
}

/** The texts without a module's rules. */
const BUILT_IN: Texts = { text: (_, raw) => normalizeText(raw), slug: (_, raw) => slugify(raw) };

/** Returns the texts with a module's rules, if there are any. Pure. */
export function textsWith(rules: TextRules | undefined): Texts {
  if (!rules) return BUILT_IN;
  const text: Texts['text'] = (member, raw) => {
    const rule = rules[member];
    const normal = normalizeText(raw);
    if (!rule || normal === undefined) return normal;
    const changed: unknown = rule(normal);
    if (typeof changed !== 'string')
      throw new TypeError(
        `text.${member} of the rules module returned ${describeValue(changed)}, which is not text`,
      );
    if (changed.length > normal.length + MAX_LONGER)
      throw new TypeError(
        `text.${member} of the rules module made a text longer by ${changed.length - normal.length} characters. ` +
          `The limit is ${MAX_LONGER}`,
      );
    // A rule must not bring markup or control characters into the feeds.
    return changed === normal ? normal : normalizeText(changed);
  };
  return {
    text,
    slug: (member, raw) => slugify(rules[member] ? text(member, raw) : raw),
  };
}
