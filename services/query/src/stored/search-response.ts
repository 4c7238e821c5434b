import type { estypes } from '@elastic/elasticsearch';
import { eachElement, eachMember, skipValue } from './json-slices.ts';
import { readStoredItem, type StoredItem } from './stored-item.ts';

/**
 * Parses a response of `_search`, but keeps the documents as bytes, because the service serves these bytes.
 * Elasticsearch returns each document exactly as written, unless the search selects parts of it.
 * @throws Error if `body` is not a search response
 */
export function readSearchResponse<Aggregations>(
  body: Buffer,
): estypes.SearchResponse<StoredItem, Aggregations> {
  const rest: Record<string, unknown> = {};
  const hits: Record<string, unknown> = {};
  eachMember(body, 0, (name, at) => {
    if (name !== 'hits') return parsed(body, at, rest, name);
    return eachMember(body, at, (member, start) =>
      member === 'hits' ? readHits(body, start, hits) : parsed(body, start, hits, member),
    );
  });
  if (!Array.isArray(hits['hits'])) throw new Error('a search response has no hits');
  return { ...rest, hits } as unknown as estypes.SearchResponse<StoredItem, Aggregations>;
}

/** The members of a hit that the service uses. */
type Hit = Pick<estypes.SearchHit<StoredItem>, 'sort' | 'fields' | '_source'>;

function readHits(body: Buffer, at: number, into: Record<string, unknown>): number {
  const hits: Hit[] = [];
  into['hits'] = hits;
  return eachElement(body, at, (start) => {
    const hit: Hit = {};
    hits.push(hit);
    return eachMember(body, start, (name, value) => {
      if (name === '_source') return readStoredItem(body, value, (item) => (hit._source = item));
      return name === 'sort' || name === 'fields' ? parsed(body, value, hit, name) : skipValue(body, value);
    });
  });
}

/** Parses the value at `start` into a member of `into`. @returns the end of the value */
function parsed(body: Buffer, start: number, into: object, name: string): number {
  const end = skipValue(body, start);
  (into as Record<string, unknown>)[name] = JSON.parse(body.toString('utf8', start, end));
  return end;
}

/** Counts the complete hits in `beginning`, the first bytes of a search response. */
export function countWholeHits(beginning: Buffer): number {
  let whole = 0;
  const countHits = (at: number) =>
    eachElement(beginning, at, (hit) => {
      const end = skipValue(beginning, hit);
      whole++;
      return end;
    });
  const findHits = (at: number) =>
    eachMember(beginning, at, (name, value) =>
      name === 'hits' ? countHits(value) : skipValue(beginning, value),
    );
  try {
    eachMember(beginning, 0, (name, at) => (name === 'hits' ? findHits(at) : skipValue(beginning, at)));
  } catch {
    // The beginning ends inside a hit. Every complete hit before it is counted.
  }
  return whole;
}
