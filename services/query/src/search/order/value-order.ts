import type { estypes } from '@elastic/elasticsearch';
import type { IndexedField } from '@vitrine/feed-index';

export type Clause = NonNullable<estypes.QueryDslQueryContainer>;

/** Returns the name of a field, and makes the compiler check that the index has this field. */
export const field = <Name extends IndexedField>(name: Name): Name => name;

/** An order by a number in the items. Items without the number come last. */
export interface ValueOrder {
  /** The name of the field that contains the number. */
  name: ReturnType<typeof field>;
  direction: 'asc' | 'desc';
}

export const VALUE_ORDERS = {
  newest: { name: field('published_at'), direction: 'desc' },
  price: { name: field('price'), direction: 'asc' },
  rating: { name: field('rating'), direction: 'desc' },
  /** No request names this order, but pages by total read items in it. */
  lowest_night: { name: field('lowest_night'), direction: 'asc' },
} as const satisfies Record<string, ValueOrder>;

/** The part of a value order from the value `from` inclusive to the value `below` exclusive. */
export interface Values {
  from: number;
  below: number;
}

/** Matches the items with these values. An infinite bound does not limit them. */
export const valuesWithin = ({ name }: ValueOrder, { from, below }: Values): Clause => ({
  range: {
    [name]: { ...(Number.isFinite(from) && { gte: from }), ...(Number.isFinite(below) && { lt: below }) },
  },
});
