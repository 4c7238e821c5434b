import { type FeedItem, stateValueOf } from '@vitrine/feed-index';
import { slugify } from '@vitrine/listing/text';
import { filterValue, identifier, joined, quoted, say } from '../agents/answer-text.ts';
import { type Clause, field } from '../search/order/feed-order.ts';
import { spellingsOf } from './apostrophes.ts';
import { cityAndState, isCode, withStates } from './city-state.ts';
import {
  defined,
  type Filter,
  type FilterTexts,
  joinValues,
  MAX_LIST_VALUES,
  oneOrMore,
  valuesOf,
} from './filter.ts';

/** Replaces a filter value that has no slug. Like the original value, this placeholder matches nothing. */
const WITHOUT_SLUG = '-';

/**
 * The slugs, sorted and joined by commas. An item must have one of them. A value without letters and digits
 * has an empty slug, which matches no item.
 */
type SlugCriteria<Name extends string> = { [N in Name]?: string };
type SlugName = 'city' | 'category' | 'sub_category' | 'state';

interface SlugFilter {
  texts: FilterTexts;
  /** Joins or converts the given values. */
  read?: (values: readonly string[]) => readonly string[];
  /** Selects slugs that come first in the criteria and in links. */
  isFirst?: (slug: string) => boolean;
  /** Returns all slugs that mean the same value. By default, this is only the slug itself. */
  spellings?: (slug: string) => string[];
  /** Returns a further meaning of a slug. */
  alternative?: (slug: string) => Alternative | undefined;
  /** Returns the slug of a listing that was found by its id, if lookups compare the slug. */
  slugOf?: (item: FeedItem) => string | undefined;
}

/** A place in a state, as a clause of a search and as a comparison with an item. */
interface Alternative {
  clause: Clause;
  matches: (item: FeedItem) => boolean;
}

/** Creates a filter that compares values by their slugs. */
function slugFilter<Name extends SlugName>(
  name: Name,
  {
    texts,
    read = (values) => values,
    isFirst,
    spellings = (slug) => [slug],
    alternative,
    slugOf,
  }: SlugFilter,
): Filter<SlugCriteria<Name>, Name> {
  const joinedOf = (criteria: SlugCriteria<Name>): string | undefined => criteria[name];
  const slugsOf = (criteria: SlugCriteria<Name>): string[] => {
    const slugs = joinedOf(criteria);
    return slugs === undefined ? [] : valuesOf(slugs);
  };
  const only = (slugs: string | undefined) => defined({ [name]: slugs }) as Partial<SlugCriteria<Name>>;
  return {
    parameters: { [name]: texts } as Record<Name, FilterTexts>,
    read({ values }) {
      const written = (values as { [N in SlugName]?: string | readonly string[] })[name];
      if (written === undefined) return {};
      const given = [written].flat();
      const texts = given.filter((text) => text.trim());
      if (texts.length === 0) return {};
      const slugs = read(texts).map((text) => slugify(text) ?? '');
      if (slugs.length > MAX_LIST_VALUES)
        return { bad: [{ parameter: name, detail: `must have at most ${MAX_LIST_VALUES} values` }] };
      // An empty slug adds nothing to other values.
      return { criteria: only(joinValues(slugs.some(Boolean) ? slugs.filter(Boolean) : slugs, isFirst)) };
    },
    members: [name],
    ...(name !== 'state' && { firstFingerprint: (criteria) => [joinedOf(criteria)] }),
    links: (criteria) => ({ [name]: joinedOf(criteria) === '' ? WITHOUT_SLUG : joinedOf(criteria) }),
    clauses(criteria) {
      const slugs = slugsOf(criteria);
      if (slugs.length === 0) return [];
      const terms = [...new Set(slugs.flatMap(spellings))];
      const whole =
        terms.length === 1 ? { term: { [field(name)]: terms[0] } } : { terms: { [field(name)]: terms } };
      const others = slugs.flatMap((slug) => alternative?.(slug)?.clause ?? []);
      return [others.length === 0 ? whole : { bool: { should: [whole, ...others] } }];
    },
    passes:
      slugOf &&
      (({ item }, criteria) => {
        const slugs = slugsOf(criteria);
        return (
          slugs.length === 0 ||
          slugs.some(
            (slug) =>
              spellings(slug).includes(slugOf(item) ?? '') || (alternative?.(slug)?.matches(item) ?? false),
          )
        );
      }),
    applied(criteria, labelOf) {
      const slugs = slugsOf(criteria);
      if (slugs.length === 0) return {};
      return { [name]: oneOrMore(slugs.map((value) => ({ value, label: labelOf(name, value) }))) };
    },
    appliedText({ [name]: applied }) {
      if (applied === undefined) return [];
      const texts = [applied].flat().map(({ label, value }) => say`${quoted(label)} (${filterValue(value)})`);
      return [say`${identifier(name)} ${joined(texts, ', ')}`];
    },
    removals: { [name]: [name] },
  };
}

/** A slug that ends with the code of a state also means the city in that state. */
function inState(slug: string): Alternative | undefined {
  const place = cityAndState(slug);
  if (place === undefined) return undefined;
  const cities = spellingsOf(place.city);
  return {
    clause: {
      bool: { filter: [{ terms: { [field('city')]: cities } }, { term: { [field('state')]: place.state } }] },
    },
    matches: ({ location }) =>
      cities.includes(slugify(location.city) ?? '') && stateValueOf(location.state ?? '') === place.state,
  };
}

export const city = slugFilter('city', {
  texts: {
    feeds: {
      description:
        'Selects items in this city, or in one of several cities, separated by commas without white space. The ' +
        'service compares slugs: `São Paulo` matches `sao-paulo`. A state may follow a city: `Bonito, MS`.',
      example: 'sao-paulo',
    },
    tools:
      'Whole names of cities, with the state if needed: ["Curitiba", "Bonito, MS"]. No default: all cities.',
    ucp: 'One whole city name, any spelling: "Florianópolis" or "Bonito, MS". No default: all cities.',
  },
  read: withStates,
  isFirst: isCode,
  spellings: spellingsOf,
  alternative: inState,
  slugOf: ({ location }) => slugify(location.city),
});

export const category = slugFilter('category', {
  texts: {
    feeds: {
      description:
        'Selects items of this category, or of one of several categories, separated by commas without white ' +
        'space. The service compares slugs.',
      example: 'entire-home-apt',
    },
    tools: 'Broad categories: ["temporada"]. Do not guess: list_facets lists the values. No default: all.',
  },
});

export const subCategory = slugFilter('sub_category', {
  texts: {
    feeds: {
      description:
        'Selects items of this sub-category, or of one of several sub-categories, separated by commas without ' +
        'white space. The service compares slugs.',
      example: 'private-room',
    },
    tools: 'Narrow categories: ["chale"]. list_facets lists the values. No default: all.',
  },
});

export const state = slugFilter('state', {
  texts: {
    feeds: {
      description: 'Selects items in this state, by its code or its name: `MS` means `Mato Grosso do Sul`.',
      example: 'SP',
    },
    tools: 'State of Brazil, code or name: "MS". No default: all states.',
    ucp: 'State of Brazil, code or name: "MS". No default: all states.',
  },
  read: (values) => values.map((value) => stateValueOf(value) ?? ''),
  slugOf: ({ location }) => (location.state === undefined ? undefined : stateValueOf(location.state)),
});
