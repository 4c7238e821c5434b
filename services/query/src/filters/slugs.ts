import type { FeedItem } from '@vitrine/feed-index';
import { slugify } from '@vitrine/listing/text';
import { filterValue, identifier, quoted, say } from '../agents/answer-text.ts';
import { field } from '../search/order/feed-order.ts';
import { spellingsOf } from './apostrophes.ts';
import { defined, type Filter, type FilterTexts } from './filter.ts';

/** Replaces a filter value that has no slug. Like the original value, this placeholder matches nothing. */
const WITHOUT_SLUG = '-';

/**
 * The slug that the items must have. A value without letters and digits has an empty slug, which matches no
 * item.
 */
type SlugCriteria<Name extends string> = { [N in Name]?: string };

interface SlugFilter {
  texts: FilterTexts;
  /** All slugs that mean the same value. By default, only the slug itself. */
  spellings?: (slug: string) => string[];
  /** The text of a listing found by its id, if lookups compare it. */
  textOf?: (item: FeedItem) => string;
}

/** A filter that compares the slug of a text. */
function slugFilter<Name extends 'city' | 'category' | 'sub_category'>(
  name: Name,
  { texts, spellings = (slug) => [slug], textOf }: SlugFilter,
): Filter<SlugCriteria<Name>, Name> {
  const slugOf = (criteria: SlugCriteria<Name>): string | undefined => criteria[name];
  const only = (slug: string | undefined) => defined({ [name]: slug }) as SlugCriteria<Name>;
  return {
    parameters: { [name]: texts } as Record<Name, FilterTexts>,
    read({ values }) {
      const value = values[name];
      return {
        criteria: only(value?.trim() ? (slugify(value) ?? '') : undefined) as Partial<SlugCriteria<Name>>,
      };
    },
    members: [name],
    firstFingerprint: (criteria) => [slugOf(criteria)],
    links: (criteria) => ({ [name]: slugOf(criteria) === '' ? WITHOUT_SLUG : slugOf(criteria) }),
    clauses(criteria) {
      const slug = slugOf(criteria);
      if (slug === undefined) return [];
      const slugs = spellings(slug);
      return [slugs.length === 1 ? { term: { [field(name)]: slug } } : { terms: { [field(name)]: slugs } }];
    },
    passes:
      textOf &&
      (({ item }, criteria) => {
        const slug = slugOf(criteria);
        return slug === undefined || spellings(slug).includes(slugify(textOf(item)) ?? '');
      }),
    applied(criteria, labelOf) {
      const value = slugOf(criteria);
      return value === undefined ? {} : { [name]: { value, label: labelOf(name, value) } };
    },
    appliedText({ [name]: applied }) {
      if (applied === undefined) return [];
      return [say`${identifier(name)} ${quoted(applied.label)} (${filterValue(applied.value)})`];
    },
    removals: { [name]: [name] },
  };
}

export const city = slugFilter('city', {
  texts: {
    feeds: {
      description:
        'Selects items in this city. The service compares slugs: `São Paulo` is equal to `sao-paulo`.',
      example: 'sao-paulo',
    },
    tools: 'One whole city name, any spelling: "Florianópolis". No default: all cities.',
    ucp: 'One whole city name, any spelling: "Florianópolis". No default: all cities.',
  },
  spellings: spellingsOf,
  textOf: ({ location }) => location.city,
});

export const category = slugFilter('category', {
  texts: {
    feeds: {
      description: 'Selects items of this category. The service compares slugs.',
      example: 'entire-home-apt',
    },
    tools:
      'Broad category, slug or name: "temporada". Do not guess: list_facets shows the values. No default: all.',
  },
});

export const subCategory = slugFilter('sub_category', {
  texts: {
    feeds: {
      description: 'Selects items of this sub-category. The service compares slugs.',
      example: 'private-room',
    },
    tools: 'Narrow category, slug or name: "chale". list_facets shows the values. No default: all.',
  },
});
