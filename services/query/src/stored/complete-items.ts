import type { estypes } from '@elastic/elasticsearch';
import { type CompleteItem, readCompleteItem } from './complete-item.ts';
import { eachElement, eachMember, skipValue } from './json-slices.ts';

/** The result of a real-time look-up of items. */
export interface LookedUpItems {
  items: Map<string, CompleteItem>;
  /** The number of documents for which the response states whether they exist. */
  documents: number;
  /** The error for the first document that Elasticsearch could not read. */
  error?: string;
}

/** Reads a response from `_mget`. @throws Error if `body` is not such a response */
export function readMultiGetResponse(body: Buffer): LookedUpItems {
  const result: LookedUpItems = { items: new Map(), documents: 0 };
  eachMember(body, 0, (name, at) => {
    if (name !== 'docs') return skipValue(body, at);
    return eachElement(body, at, (doc) =>
      eachMember(body, doc, (member, value) => {
        if (member === '_source') {
          result.documents++;
          return readCompleteItem(body, value, (item) => result.items.set(item.id, item));
        }
        const end = skipValue(body, value);
        if (member === 'error') result.error ??= body.toString('utf8', value, end);
        if (member === 'found' && body.toString('latin1', value, end) === 'false') result.documents++;
        return end;
      }),
    );
  });
  return result;
}

export interface ExportSlice {
  /** The members that show whether the slice is complete. */
  status: Pick<estypes.SearchResponse, 'timed_out' | '_shards' | 'pit_id'>;
  /** The last item's id. It is undefined if the slice is empty. */
  lastId: string | undefined;
  /**
   * Reads the items. Reading them takes longer than everything else.
   * @throws Error if `body` is not a search response
   */
  readItems: () => CompleteItem[];
}

const HITS = Buffer.from(',"hits":{');
const SORT = Buffer.from('"sort":');

/**
 * Reads a search response with whole documents in ascending order of id.
 * @throws Error if `body` is not a search response
 */
export function readExportSlice(body: Buffer): ExportSlice {
  const hits = body.indexOf(HITS);
  if (hits === -1) throw new Error('a search response has no hits');
  // The sort values of a hit follow its document, so the last ones belong to the last hit.
  const sort = body.lastIndexOf(SORT);
  const first = sort + SORT.length + 1;
  const lastId =
    sort === -1 ? undefined : (JSON.parse(body.toString('utf8', first, skipValue(body, first))) as string);
  return {
    status: JSON.parse(`${body.toString('utf8', 0, hits)}}`) as ExportSlice['status'],
    lastId,
    readItems: () => {
      const items: CompleteItem[] = [];
      if (!readHits(body, hits + HITS.length - 1, items)) throw new Error('a search response has no hits');
      if (items.at(-1)?.id !== lastId) throw new Error('a search response is not in the order of its ids');
      return items;
    },
  };
}

/** @returns whether the response has a list of hits, even an empty one */
function readHits(body: Buffer, at: number, items: CompleteItem[]): boolean {
  let hasHits = false;
  eachMember(body, at, (name, value) => {
    if (name !== 'hits') return skipValue(body, value);
    hasHits = true;
    return eachElement(body, value, (hit) =>
      eachMember(body, hit, (member, start) =>
        member === '_source'
          ? readCompleteItem(body, start, (item) => items.push(item))
          : skipValue(body, start),
      ),
    );
  });
  return hasHits;
}
