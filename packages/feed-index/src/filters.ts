import { AD_TYPE_NAMES } from './ad-types.ts';

/**
 * The properties of a filter on which all interfaces must agree. The query service adds meaning and
 * descriptions.
 */
interface FilterEntry {
  /** The form of the value. A value of the kind `text` is compared by its slug. */
  kind: 'text' | 'date' | 'number' | 'flag' | 'choice';
  /** The inclusive bounds of a `number`. */
  minimum?: number;
  maximum?: number;
  /** Whether a `number` must be an integer. */
  integer?: true;
  values?: readonly string[];
  /** Whether a request may contain several values. An item must match one of them. */
  list?: true;
  alias?: string;
  /** The name of the tools' argument, if it differs from the query parameter. */
  argument?: string;
  /** The name in the explorer's URL, if it differs from the query parameter. */
  inUrl?: string;
  /** The filter without which this one has no meaning. */
  needs?: string;
  /** Whether `list_facets` lists the values. */
  facet?: true;
  /** The form control in the explorer. `dates`, `place`, `price` and `total` set several filters. */
  control:
    | 'tabs'
    | 'suggestions'
    | 'field'
    | 'dates'
    | 'place'
    | 'price'
    | 'total'
    | 'rating'
    | 'state'
    | 'sort';
  /** The name that people see, if the explorer shows one. */
  label?: { en: string; 'pt-BR': string };
}

/** The possible orders of a result. Rule: docs/reference/rules.md#item-order. */
export const SORTS = ['newest', 'price', 'rating', 'total_price', 'distance'] as const;
export type Sort = (typeof SORTS)[number];

const ENTRIES = {
  city: {
    kind: 'text',
    list: true,
    alias: 'cidade',
    facet: true,
    control: 'suggestions',
    label: { en: 'City', 'pt-BR': 'Cidade' },
  },
  category: {
    kind: 'text',
    list: true,
    alias: 'categoria',
    facet: true,
    control: 'suggestions',
    label: { en: 'Category', 'pt-BR': 'Categoria' },
  },
  sub_category: {
    kind: 'text',
    list: true,
    alias: 'subcategoria',
    facet: true,
    control: 'suggestions',
    label: { en: 'Sub-category', 'pt-BR': 'Subcategoria' },
  },
  ad_type: {
    kind: 'choice',
    list: true,
    values: AD_TYPE_NAMES,
    inUrl: 'type',
    facet: true,
    control: 'tabs',
    label: { en: 'Kind of offer', 'pt-BR': 'Tipo de oferta' },
  },
  date: { kind: 'date', alias: 'data', control: 'dates', label: { en: 'Date', 'pt-BR': 'Data' } },
  date_to: { kind: 'date', needs: 'date', control: 'dates' },
  lat: { kind: 'number', minimum: -90, maximum: 90, needs: 'lng', control: 'place' },
  lng: { kind: 'number', minimum: -180, maximum: 180, needs: 'lat', control: 'place' },
  localOnly: {
    kind: 'flag',
    argument: 'local_only',
    needs: 'lat',
    control: 'place',
    label: { en: 'Only near this place', 'pt-BR': 'Somente perto deste lugar' },
  },
  min_price: {
    kind: 'number',
    minimum: 0,
    control: 'price',
    label: { en: 'Lowest price', 'pt-BR': 'Preço mínimo' },
  },
  max_price: {
    kind: 'number',
    minimum: 0,
    control: 'price',
    label: { en: 'Highest price', 'pt-BR': 'Preço máximo' },
  },
  state: { kind: 'text', control: 'state', label: { en: 'State', 'pt-BR': 'Estado' } },
  min_rating: {
    kind: 'number',
    minimum: 0,
    maximum: 5,
    control: 'rating',
    label: { en: 'Rating', 'pt-BR': 'Avaliação' },
  },
  nights: {
    kind: 'number',
    integer: true,
    minimum: 1,
    maximum: 30,
    needs: 'date',
    control: 'dates',
    label: { en: 'Nights', 'pt-BR': 'Diárias' },
  },
  min_total_price: {
    kind: 'number',
    minimum: 0,
    needs: 'date',
    control: 'total',
    label: { en: 'Lowest total', 'pt-BR': 'Total mínimo' },
  },
  max_total_price: {
    kind: 'number',
    minimum: 0,
    needs: 'date',
    control: 'total',
    label: { en: 'Highest total', 'pt-BR': 'Total máximo' },
  },
  sort: { kind: 'choice', values: SORTS, control: 'sort', label: { en: 'Order', 'pt-BR': 'Ordem' } },
} as const satisfies Record<string, FilterEntry>;

type Entries = typeof ENTRIES;
export type FilterName = keyof Entries;

/** The filters, keyed by their query parameters. CONTRIBUTING.md, "Common changes", shows how to add one. */
export const FILTERS: Readonly<Record<FilterName, FilterEntry>> = ENTRIES;
export const FILTER_NAMES = Object.keys(ENTRIES) as FilterName[];

type NamesWith<Part> = { [N in FilterName]: Entries[N] extends Part ? N : never }[FilterName];
const namesWith = <Part extends Partial<FilterEntry>>(part: Part) =>
  FILTER_NAMES.filter((name) =>
    Object.entries(part).every(([key, value]) => FILTERS[name][key as keyof FilterEntry] === value),
  ) as NamesWith<Part>[];

/** The filters whose values `list_facets` lists. */
export type Facet = NamesWith<{ facet: true }>;
export const FACETS: readonly Facet[] = namesWith({ facet: true } as const);
/** The filters for which the explorer has a text field that suggests values. */
export type SuggestedFilter = NamesWith<{ control: 'suggestions' }>;
export const SUGGESTED_FILTERS: readonly SuggestedFilter[] = namesWith({ control: 'suggestions' } as const);

export type KindOf<N extends FilterName> = Entries[N]['kind'];

type ValueOf<N extends FilterName> = Entries[N] extends { values: readonly (infer Value)[] }
  ? Value
  : KindOf<N> extends 'number'
    ? number
    : KindOf<N> extends 'flag'
      ? boolean
      : string;

export type FilterValues = { [N in FilterName]?: ValueOf<N> };

/** The filters that accept several values. */
export type ListFilter = NamesWith<{ list: true }>;

/** A filter's name as an argument of the agents' tools. */
export type ArgumentOf<N extends FilterName> = N extends unknown
  ? Entries[N] extends { argument: infer A extends string }
    ? A
    : N
  : never;
export type FilterArgument = ArgumentOf<FilterName>;
/**
 * The filter values, keyed by the names of the tools' arguments. An array contains several values of one
 * filter.
 */
export type FilterArguments = {
  [N in FilterName as ArgumentOf<N>]?: N extends ListFilter ? ValueOf<N> | readonly ValueOf<N>[] : ValueOf<N>;
};

export const argumentOf = <N extends FilterName>(name: N): ArgumentOf<N> =>
  (FILTERS[name].argument ?? name) as ArgumentOf<N>;

/** Returns the filter with this name as an argument of the tools. */
export const filterOfArgument = (argument: string): FilterName | undefined =>
  FILTER_NAMES.find((name) => argumentOf(name) === argument);

/** Leaves out every filter that needs an absent filter. */
export function withoutDependents<Values extends { [N in FilterName]?: unknown }>(values: Values): Values {
  const kept = { ...values };
  const orphans = () =>
    FILTER_NAMES.filter((name) => {
      const { needs } = FILTERS[name];
      return kept[name] !== undefined && needs !== undefined && kept[needs as FilterName] === undefined;
    });
  for (let found = orphans(); found.length > 0; found = orphans())
    for (const name of found) delete kept[name];
  return kept;
}

/**
 * Splits a list of values. A comma before white space belongs to a value ("Casa, mesa e banho"). Rule:
 * docs/reference/rules.md#lists.
 * @returns the values that are not blank. If all are blank, the whole string is one value
 */
export function listValues(text: string): string[] {
  const values = text.split(/,(?!\s)/).filter((value) => value.trim());
  return values.length > 0 ? values : [text];
}
