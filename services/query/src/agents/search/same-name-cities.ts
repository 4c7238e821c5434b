import { spellingsOf } from '../../filters/apostrophes.ts';
import { cityAndState } from '../../filters/city-state.ts';
import { valuesOf } from '../../filters/filter.ts';
import type { FeedCriteria } from '../../request/criteria.ts';
import { clipped, joined, quoted, type Shown, say } from '../answer-text.ts';
import type { ListingSource } from '../listing-source.ts';
import type { SuggestedValue } from '../suggest/suggestions.ts';

const MAX_CITIES = 10;

/**
 * Returns the cities that a search found under the same name in several states. Without this list, an agent
 * would take these cities for a single city.
 */
export async function sameNameCities(
  source: ListingSource,
  criteria: FeedCriteria,
  signal: AbortSignal,
): Promise<SuggestedValue[]> {
  if (criteria.city === undefined || criteria.state !== undefined) return [];
  const names = valuesOf(criteria.city);
  const values = await source.facet(criteria, 'city', signal);
  return names
    .flatMap((name) => {
      const spellings = spellingsOf(name);
      const cities = values.filter(({ value }) => spellings.includes(cityAndState(value)?.city ?? ''));
      return cities.length > 1 ? cities : [];
    })
    .slice(0, MAX_CITIES)
    .map(({ value, label, count }) => ({ value, label: clipped(label), count }));
}

/** Names the cities and the number of matching listings in each. Returns no line for an empty list. */
export const citiesText = (cities: readonly SuggestedValue[]): Shown[] =>
  cities.length === 0
    ? []
    : [
        say`cities of the same name in several states: ${joined(
          cities.map(({ label, count }) => say`${quoted(label)} ${count}`),
          ', ',
        )}. Set state to choose one.`,
      ];
