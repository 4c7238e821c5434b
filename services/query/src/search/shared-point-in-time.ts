import { LRUCache } from 'lru-cache';
import { type SharedCount, SharedCounts } from './shared-counts.ts';
import { SharedResource } from './shared-resource.ts';

/** A point in time of the index, and its known counts. */
export interface PointInTime {
  /** The identifier of the point in time. Elasticsearch may return a new identifier with every response. */
  id: string;
  /** Parts of rank indices. */
  readonly rankCounts: SharedCounts;
  /** The number of matching items by filter. */
  readonly totals: SharedCounts;
  /** The offers of a date by filter and date. */
  readonly offers: SharedCounts;
  /** The values of a facet by filter, and whether a field exists. */
  readonly facets: SharedCounts;
}

/** The cache limits the total size of the names, because a name can be as long as a request. */
const MAX_SMALL_COUNTS_BYTES = 4 * 1024 * 1024;
const SMALL_COUNT_OVERHEAD_BYTES = 400;
/**
 * A part of a rank index has at most about a thousand small objects, so this number of parts takes at most
 * tens of megabytes.
 */
const MAX_RANK_PARTS = 200;
/** The values of one facet take at most 8 MB: 4 MB of JSON, and two bytes per character. */
const MAX_FACETS = 8;

const createSmallCounts = () =>
  new SharedCounts(
    new LRUCache({
      maxSize: MAX_SMALL_COUNTS_BYTES,
      sizeCalculation: (_, name) => name.length + SMALL_COUNT_OVERHEAD_BYTES,
    }),
  );
const createFacets = () => new SharedCounts(new LRUCache<string, SharedCount>({ max: MAX_FACETS }));
const createRankCounts = () => new SharedCounts(new LRUCache<string, SharedCount>({ max: MAX_RANK_PARTS }));

export interface SharedPointInTimeOptions {
  open: () => Promise<string>;
  close: (id: string) => Promise<unknown>;
  /** How long new readers share one point in time, in milliseconds. */
  lifetimeMs: number;
}

/**
 * Lets the pages of a few seconds share one point in time. Therefore their counts and hits show the same
 * state of the index despite refreshes and alias switches, and many pages share one count.
 */
export class SharedPointInTime extends SharedResource<PointInTime> {
  constructor({ open, close, lifetimeMs }: SharedPointInTimeOptions) {
    super({
      open: async () => ({
        id: await open(),
        rankCounts: createRankCounts(),
        totals: createSmallCounts(),
        offers: createSmallCounts(),
        facets: createFacets(),
      }),
      close: ({ id }) => close(id),
      lifetimeMs,
    });
  }
}
