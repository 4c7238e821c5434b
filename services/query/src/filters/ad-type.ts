import { AD_TYPE_NAMES, type AdType, listAdTypes, readAdType } from '@vitrine/feed-index/ad-types';
import { filterValue, joined, say } from '../agents/answer-text.ts';
import { field } from '../search/order/feed-order.ts';
import { defined, type Filter, joinValues, MAX_LIST_VALUES, oneOrMore, valuesOf } from './filter.ts';

interface AdTypeCriteria {
  adType?: AdType;
  /**
   * The ad types in the parameter, sorted and joined by commas. The member is absent if the path has an ad
   * type.
   */
  adTypes?: string;
}

const withRemarks = listAdTypes('or', (name, { remark }) => (remark ? `${name} (${remark})` : name));

const typesOf = ({ adType, adTypes = adType }: AdTypeCriteria): AdType[] =>
  adTypes === undefined ? [] : valuesOf<AdType>(adTypes);

/** The kind of offer. In the feeds, the path or the parameter selects it. */
export const adType: Filter<AdTypeCriteria, 'ad_type'> = {
  parameters: {
    ad_type: {
      feeds: {
        description:
          `Selects items of one ad type (${listAdTypes('or')}), or of several, separated by commas. If the ` +
          'path names an ad type, the parameter must name the same one.',
        example: 'rent',
      },
      tools:
        'Kinds of offer: ["rent"]. Stays are rent, and so are equipment and vehicles: for stays, also set a ' +
        'category. No default: all kinds.',
      ucp: `Kind of offer: ${withRemarks}. No default: all kinds.`,
    },
  },
  read({ values: { ad_type }, pathType }) {
    const types = ad_type?.map((text) => readAdType(text)).filter((type) => type !== undefined);
    if (ad_type !== undefined && types?.length !== ad_type.length)
      return { bad: bad(`must be one of ${AD_TYPE_NAMES.join(', ')}`) };
    if (types && types.length > MAX_LIST_VALUES)
      return { bad: bad(`must have at most ${MAX_LIST_VALUES} values`) };
    const adTypes = types && joinValues(types);
    if (pathType === undefined) return { criteria: defined({ adTypes }) };
    return adTypes === undefined || adTypes === pathType
      ? { criteria: { adType: pathType } }
      : { bad: bad(`must be ${pathType}, as in the path`) };
  },
  members: ['adType', 'adTypes'],
  // In version 1.0.0, the tools' cursors contained the argument.
  firstFingerprint: ({ adType: type, adTypes = type }) => [adTypes],
  links: ({ adTypes }) => defined({ ad_type: adTypes }),
  clauses(criteria) {
    const types = typesOf(criteria);
    if (types.length === 0) return [];
    return [
      types.length === 1
        ? { term: { [field('ad_type')]: types[0] } }
        : { terms: { [field('ad_type')]: types } },
    ];
  },
  passes: (listing, criteria) => {
    const types: readonly string[] = typesOf(criteria);
    return types.length === 0 || types.includes(listing.adType ?? '');
  },
  applied: (criteria) => {
    const types = typesOf(criteria);
    return types.length === 0 ? {} : { ad_type: oneOrMore<string>(types) };
  },
  appliedText: ({ ad_type }) =>
    ad_type === undefined ? [] : [say`ad_type ${joined([ad_type].flat().map(filterValue), ', ')}`],
  removals: { ad_type: ['adType', 'adTypes'] },
};

const bad = (detail: string) => [{ parameter: 'ad_type', detail }];
