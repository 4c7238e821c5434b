import type { estypes } from '@elastic/elasticsearch';
import { eachElement, eachMember, type Slice } from './json-slices.ts';
import { type StoredItem, storedItem } from './stored-item.ts';

/**
 * An answer of `_search`, read but for the documents: those stay bytes, which are what is served.
 * Elasticsearch gives a document as it was written wherever no part of it is asked for.
 * @throws when it is not such an answer
 */
export function readSearchAnswer<Aggregations>(body: Buffer): estypes.SearchResponse<StoredItem, Aggregations> {
  const rest: Record<string, unknown> = {};
  const hits: Record<string, unknown> = { hits: [] };
  eachMember(body, 0, (name, value) => {
    if (name !== 'hits') rest[name] = parsed(body, value);
    else
      eachMember(body, value.start, (member, inner) => {
        hits[member] = member === 'hits' ? readHits(body, inner) : parsed(body, inner);
      });
  });
  return { ...rest, hits } as unknown as estypes.SearchResponse<StoredItem, Aggregations>;
}

/** What is asked of a hit anywhere. */
type Hit = Pick<estypes.SearchHit<StoredItem>, 'sort' | 'fields' | '_source'>;

function readHits(body: Buffer, { start }: Slice): Hit[] {
  const hits: Hit[] = [];
  eachElement(body, start, (element) => {
    const hit: Hit = {};
    eachMember(body, element.start, (name, value) => {
      if (name === '_source') hit._source = storedItem(body, value);
      if (name === 'sort') hit.sort = parsed(body, value) as estypes.SortResults;
      if (name === 'fields') hit.fields = parsed(body, value) as Record<string, unknown>;
    });
    hits.push(hit);
  });
  return hits;
}

const parsed = (body: Buffer, { start, end }: Slice): unknown => JSON.parse(body.toString('utf8', start, end));
