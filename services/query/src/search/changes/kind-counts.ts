import type { estypes } from '@elastic/elasticsearch';
import { CHANGE_KINDS, type ChangeKind } from '@vitrine/feed-index';
import { expectResponse, isObject } from '../checked-response.ts';
import { type ChangesFilter, changedSince } from './changes-filter.ts';

/** The number of changed listings by the kind of their changes. A listing can count toward several kinds. */
export type KindCounts = Record<ChangeKind, number>;

const KINDS = 'kinds';

/** Counts the changes of each kind since a time. */
export const kindAggregation = ({ since }: ChangesFilter): Pick<estypes.SearchRequest, 'aggs'> =>
  since === undefined
    ? {}
    : {
        aggs: {
          [KINDS]: {
            filters: {
              filters: Object.fromEntries(CHANGE_KINDS.map((kind) => [kind, changedSince(kind, since)])),
            },
          },
        },
      };

/**
 * Reads the response to `kindAggregation`.
 * @throws FeedUnavailable if the response is not from Elasticsearch
 */
export function countsOf(aggregations: unknown): KindCounts {
  const kinds: unknown = isObject(aggregations) ? aggregations[KINDS] : undefined;
  const buckets: unknown = isObject(kinds) ? kinds['buckets'] : undefined;
  return Object.fromEntries(
    CHANGE_KINDS.map((kind) => {
      const bucket: unknown = isObject(buckets) ? buckets[kind] : undefined;
      const count = isObject(bucket) ? bucket['doc_count'] : undefined;
      expectResponse(Number.isInteger(count), 'a search', 'counts of changes');
      return [kind, count as number];
    }),
  ) as KindCounts;
}
