import type { Sort } from '@vitrine/feed-index/filters';
import { defined, type Filter } from './filter.ts';

interface SortCriteria {
  /** The order, if it is not the default order of the request. */
  sort?: Sort;
}

/** The order of the items. Rule: docs/reference/rules.md#item-order. */
export const sort: Filter<SortCriteria, 'sort'> = {
  parameters: {
    sort: {
      feeds: {
        description:
          'The order of the items: `newest`, `price` (lowest first), `rating` (highest first, unrated items last), ' +
          '`total_price` (lowest total of the stay first, requires `date`) or `distance` (nearest first, requires ' +
          '`lat` and `lng`). The default is `distance` with a point, and otherwise `newest`.',
        example: 'price',
      },
      tools:
        'Order: total_price for the cheapest stay (needs date), price for the lowest own price, rating for the best ' +
        '(detail: detailed shows the ratings), distance (needs lat and lng), or newest. Default: distance with lat and ' +
        'lng, otherwise newest.',
    },
  },
  rule: '`sort=total_price` requires `date` (or `data`), and `sort=distance` requires `lat` and `lng`.',
  read({ values: { sort: given }, isGiven }) {
    if (given === 'total_price' && !isGiven('date'))
      return { bad: bad('must not be total_price without date') };
    const hasPoint = isGiven('lat') || isGiven('lng');
    if (given === 'distance' && !hasPoint) return { bad: bad('must not be distance without lat and lng') };
    return { criteria: defined({ sort: given === (hasPoint ? 'distance' : 'newest') ? undefined : given }) };
  },
  members: ['sort'],
  links: ({ sort: order }) => defined({ sort: order }),
  clauses: () => [],
  passes: undefined,
  applied: ({ sort: order }) => defined({ sort: order }),
  // The first line of an answer always names the order, even if it is the default.
  appliedText: () => [],
  removals: {},
};

const bad = (detail: string) => [{ parameter: 'sort', detail }];
