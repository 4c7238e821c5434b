import type { Facet } from '@vitrine/feed-index/filters';
import { spellingsOf } from '../../filters/apostrophes.ts';
import { cityAndState } from '../../filters/city-state.ts';
import type { StayWindow } from '../../request/stay-window.ts';
import { cheapestRun, toPrice } from '../../stored/cheapest-stay.ts';
import { type Clause, field } from '../order/feed-order.ts';
import { type NightReader, scanNights } from '../stays/night-scan.ts';

/** A scan for the values that the previous scan left open reads more items than that scan. */
const FIRST_SCAN = 500;
const GROWTH = 4;

/**
 * Finds the lowest stay total for each value of a facet. Reads the matching items in the order of their
 * lowest nightly prices, which bound the totals from below, until no later item can have a lower total. A
 * value with few items gets a scan of only these items.
 * @param values the values that `readFacet` returned
 * @param clauses match only items that are available for some stay in the window
 * @returns the totals in BRL by value
 */
export async function lowestTotals(
  facet: Facet,
  values: readonly string[],
  clauses: readonly Clause[],
  stay: StayWindow,
  reader: NightReader,
): Promise<ReadonlyMap<string, number>> {
  const totals = new Map<string, number>();
  const fields = facet === 'city' ? [field('city'), field('state')] : [field(facet)];
  const asked = new Map(values.flatMap((value) => spellingsIn(facet, value).map((slug) => [slug, value])));
  const evaluate = (_: string, cents: Float64Array, found: Record<string, unknown>) => {
    const run = cheapestRun(cents, stay.nights);
    if (!run) return;
    const total = toPrice(run.cents);
    const [value, state] = fields.map((name) => (found[name] as string[] | undefined)?.[0]);
    for (const slug of state === undefined ? [value] : [value, `${value}-${state}`]) {
      const one = asked.get(slug ?? '');
      if (one !== undefined && total < (totals.get(one) ?? Number.POSITIVE_INFINITY)) totals.set(one, total);
    }
  };
  let open = [...values];
  for (let maxItems = FIRST_SCAN; open.length > 0; maxItems *= GROWTH) {
    const scan = { clauses: [...clauses, havingOneOf(facet, open)], stay, from: 'lowest', fields } as const;
    let read = 0;
    for await (const { items, reached } of scanNights(scan, evaluate, reader)) {
      read += items.length;
      open = reached ? open.filter((value) => reached.total < (totals.get(value) ?? Infinity)) : [];
      if (open.length === 0 || read >= maxItems) break;
    }
  }
  return new Map(values.flatMap((value) => (totals.has(value) ? [[value, totals.get(value) ?? 0]] : [])));
}

/** The filter finds all spellings of a city by any one of them. */
const spellingsIn = (facet: Facet, value: string): string[] =>
  facet === 'city' ? spellingsOf(value) : [value];

/** The value of a city may contain its state. */
const havingOneOf = (facet: Facet, values: readonly string[]): Clause => ({
  terms: {
    [field(facet)]: values
      .flatMap((value) => [value, cityAndState(value)?.city ?? []].flat())
      .flatMap((value) => spellingsIn(facet, value)),
  },
});
