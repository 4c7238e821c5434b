import type { estypes } from '@elastic/elasticsearch';
import { eachElement, eachMember, skipValue } from './json-slices.ts';
import { matchesAt, readStoredItem, type StoredItem } from './stored-item.ts';

/**
 * Parses a response from `_search`, but keeps the documents as bytes, because the service serves these bytes.
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

const [SOURCE, SORT] = [Buffer.from(',"_source":'), Buffer.from(',"sort":')] as [Buffer, Buffer];
const [OPEN_OBJECT, CLOSE_OBJECT] = [0x7b, 0x7d];

/** The members of a hit that the service uses. */
type Hit = Pick<estypes.SearchHit<StoredItem>, 'sort' | 'fields' | '_source'>;

function readHits(body: Buffer, at: number, into: Record<string, unknown>): number {
  const hits: Hit[] = [];
  into['hits'] = hits;
  return eachElement(body, at, (start) => {
    const hit: Hit = {};
    hits.push(hit);
    return readUsualHit(body, start, hit) ?? readAnyHit(body, start, hit);
  });
}

/**
 * The fast path for a hit that ends with its document and its sort values. The first brace in a hit begins
 * the document, unless a name or an id contains a brace. No content can mislead this function, because a
 * quote inside a string is always escaped.
 * @returns the end of the hit, or undefined if the hit has another form
 */
function readUsualHit(body: Buffer, start: number, hit: Hit): number | undefined {
  const source = body.indexOf(OPEN_OBJECT, start + 1);
  if (source === -1 || !matchesAt(body, source - SOURCE.length, SOURCE)) return undefined;
  const sourceEnd = readStoredItem(body, source, (item) => (hit._source = item));
  if (!matchesAt(body, sourceEnd, SORT)) return undefined;
  const end = parsed(body, sourceEnd + SORT.length, hit, 'sort');
  return body[end] === CLOSE_OBJECT ? end + 1 : undefined;
}

const readAnyHit = (body: Buffer, start: number, hit: Hit): number =>
  eachMember(body, start, (name, value) => {
    if (name === '_source') return readStoredItem(body, value, (item) => (hit._source = item));
    return name === 'sort' || name === 'fields' ? parsed(body, value, hit, name) : skipValue(body, value);
  });

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
    // `beginning` ends inside a hit. Every complete hit before that one has been counted.
  }
  return whole;
}
