interface AdTypeEntry {
  /** Legacy names that the path of a request may still contain. */
  aliases: readonly string[];
  /** The plural in English prose. */
  plural: string;
  /** A remark in the descriptions for shopping agents. */
  remark?: string;
  /** The label of the explorer's tab, by language. */
  tab: { en: string; 'pt-BR': string };
}

/**
 * The kinds of offers. The paths, aliases, schemas, descriptions, error texts, tools, the explorer's tabs and
 * the validation of events follow from this table (docs/decisions/0088-tables-of-filters-and-ad-types.md).
 * CONTRIBUTING.md names what else a new ad type needs.
 */
const ENTRIES = {
  sale: { aliases: [], plural: 'sales', tab: { en: 'For sale', 'pt-BR': 'Venda' } },
  rent: {
    aliases: ['rental'],
    plural: 'rentals',
    remark: 'also stays',
    tab: { en: 'For rent', 'pt-BR': 'Aluguel' },
  },
  service: { aliases: [], plural: 'services', tab: { en: 'Services', 'pt-BR': 'Serviços' } },
} as const satisfies Record<string, AdTypeEntry>;

export type AdType = keyof typeof ENTRIES;

export const AD_TYPES: Readonly<Record<AdType, AdTypeEntry>> = ENTRIES;
export const AD_TYPE_NAMES = Object.keys(ENTRIES) as AdType[];

/** Every name that a path may contain: each ad type, followed by its aliases. */
export const AD_TYPE_SEGMENTS: readonly string[] = AD_TYPE_NAMES.flatMap((name) => [
  name,
  ...AD_TYPES[name].aliases,
]);

/**
 * Returns the ad type of a path segment, or undefined if the ad type is unknown. Rule:
 * docs/reference/rules.md#operations.
 */
export const readAdType = (segment: string): AdType | undefined =>
  AD_TYPE_NAMES.find((name) => name === segment || AD_TYPES[name].aliases.includes(segment));

/**
 * Lists the ad types in English prose: "sale, rent or service".
 * @param write returns the text for one ad type. By default, this text is the ad type's name
 */
export const listAdTypes = (
  word: 'and' | 'or',
  write: (name: AdType, entry: AdTypeEntry) => string = (name) => name,
): string =>
  new Intl.ListFormat('en-GB', { type: word === 'and' ? 'conjunction' : 'disjunction' }).format(
    AD_TYPE_NAMES.map((name) => write(name, AD_TYPES[name])),
  );
