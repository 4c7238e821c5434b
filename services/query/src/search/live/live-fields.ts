import type { estypes } from '@elastic/elasticsearch';
import { LRUCache } from 'lru-cache';
import type { FeedCriteria } from '../../request/criteria.ts';
import { asksForStay } from '../../request/stay-window.ts';
import { ANY_ITEM, field } from '../order/feed-order.ts';
import type { SearchClient } from '../search-client.ts';
import { FeedUnavailable } from '../search-failure.ts';
import type { PointInTime } from '../shared-point-in-time.ts';

/** The items mapping that has the fields for states, ratings and stays. */
export type NeededMapping = 'mapping 4';

/** The items mapping of the live generation lacks a field that the request needs. */
export class FieldsMissing extends FeedUnavailable {
  constructor(needs: NeededMapping) {
    super(`the live generation lacks the fields of items ${needs}; \`replay --from states\` builds them`);
    this.name = 'FieldsMissing';
  }
}

/**
 * Returns the mapping that a request needs. An earlier release may have built the live generation
 * (docs/operate/upgrading.md#a-new-items-mapping), so a request for which every mapping suffices must not use
 * new fields.
 * @returns undefined if every mapping suffices
 */
export function neededMapping(criteria: FeedCriteria): NeededMapping | undefined {
  const { sort, state, minRating } = criteria;
  const isNew = sort === 'rating' || state !== undefined || minRating !== undefined || asksForStay(criteria);
  return isNew ? 'mapping 4' : undefined;
}

interface IndexAggregation {
  index: { buckets: { key: string }[] };
}

/** Asks which index a point in time shows. One item per shard is enough. */
const ITS_INDEX: estypes.SearchRequest = {
  size: 0,
  track_total_hits: false,
  terminate_after: 1,
  query: ANY_ITEM,
  aggs: { index: { terms: { field: '_index', size: 1 } } },
};
/** A field that only the new mapping has. */
const NEW_FIELD = field('nights');
/** This is more than the number of indices that one deployment has at the same time. */
const MAX_INDICES = 16;

type ShownIndex = Pick<PointInTime, 'id'>;

/**
 * Finds out which points in time show an index with the new fields. A point in time keeps its index despite a
 * switch, and an index keeps its fields. So this class asks only once about each point in time and each
 * index.
 */
export class LiveFields {
  readonly #client: Pick<SearchClient, 'search' | 'hasField'>;
  readonly #stopping: AbortSignal;
  readonly #byPointInTime = new WeakMap<ShownIndex, Promise<boolean>>();
  readonly #byIndex = new LRUCache<string, boolean>({ max: MAX_INDICES });

  /** @param stopping aborts the searches, which several pages share */
  constructor(client: Pick<SearchClient, 'search' | 'hasField'>, stopping: AbortSignal) {
    this.#client = client;
    this.#stopping = stopping;
  }

  /** Returns whether a point in time's index has the new fields. @throws FeedUnavailable, Overloaded */
  async areIn(pointInTime: ShownIndex): Promise<boolean> {
    const known = this.#byPointInTime.get(pointInTime);
    if (known) return known;
    const asked = this.#ask(pointInTime);
    this.#byPointInTime.set(pointInTime, asked);
    // The next page asks again after a failure.
    asked.catch(() => this.#byPointInTime.delete(pointInTime));
    return asked;
  }

  /** @throws FieldsMissing if the index lacks a field that the request needs; FeedUnavailable, Overloaded */
  async require(needs: NeededMapping | undefined, pointInTime: ShownIndex): Promise<void> {
    if (needs !== undefined && !(await this.areIn(pointInTime))) throw new FieldsMissing(needs);
  }

  async #ask({ id }: ShownIndex): Promise<boolean> {
    const { aggregations } = await this.#client.search<IndexAggregation>(
      { pit: { id }, ...ITS_INDEX },
      this.#stopping,
    );
    const index = aggregations?.index.buckets[0]?.key;
    // The response does not name an index without items.
    if (index === undefined) return this.#client.hasField(NEW_FIELD);
    const hasField = this.#byIndex.get(index) ?? (await this.#client.hasField(NEW_FIELD, index));
    this.#byIndex.set(index, hasField);
    return hasField;
  }
}
