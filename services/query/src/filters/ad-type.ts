import { type AdType, listAdTypes } from '@vitrine/feed-index/ad-types';
import { filterValue, say } from '../agents/answer-text.ts';
import { field } from '../search/order/feed-order.ts';
import { defined, type Filter } from './filter.ts';

interface AdTypeCriteria {
  adType?: AdType;
}

const withRemarks = listAdTypes('or', (name, { remark }) => (remark ? `${name} (${remark})` : name));

/** The kind of offer. In the feeds, the path selects it. */
export const adType: Filter<AdTypeCriteria, 'ad_type'> = {
  parameters: {
    ad_type: {
      tools:
        `Kind of offer: ${listAdTypes('or')}. Stays are rent, and so are equipment and vehicles for rent: for stays, ` +
        'also set a category. No default: all kinds.',
      ucp: `Kind of offer: ${withRemarks}. No default: all kinds.`,
    },
  },
  read: ({ values: { ad_type } }) => ({ criteria: defined({ adType: ad_type }) }),
  members: ['adType'],
  firstFingerprint: ({ adType: type }) => [type],
  links: () => ({}),
  clauses: ({ adType: type }) => (type === undefined ? [] : [{ term: { [field('ad_type')]: type } }]),
  passes: (listing, { adType: type }) => type === undefined || listing.adType === type,
  applied: ({ adType: type }) => defined({ ad_type: type }),
  appliedText: ({ ad_type }) => (ad_type === undefined ? [] : [say`ad_type ${filterValue(ad_type)}`]),
  removals: { ad_type: ['adType'] },
};
