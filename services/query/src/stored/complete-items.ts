import type { estypes } from '@elastic/elasticsearch';
import { type CompleteItem, readCompleteItem } from './complete-item.ts';
import { eachElement, eachMember, skipValue } from './json-slices.ts';

/** The result of a real-time look-up of items. */
export interface LookedUpItems {
  /** The existing items by id. */
  items: Map<string, CompleteItem>;
  /** The first error of a document that Elasticsearch could not read. */
  error?: string;
}

/** Reads a response of `_mget`. @throws Error if `body` is no such response */
export function readMultiGetResponse(body: Buffer): LookedUpItems {
  const result: LookedUpItems = { items: new Map() };
  eachMember(body, 0, (name, at) => {
    if (name !== 'docs') return skipValue(body, at);
    return eachElement(body, at, (doc) =>
      eachMember(body, doc, (member, value) => {
        if (member === '_source')
          return readCompleteItem(body, value, (item) => result.items.set(item.id, item));
        const end = skipValue(body, value);
        if (member === 'error') result.error ??= body.toString('utf8', value, end);
        return end;
      }),
    );
  });
  return result;
}

/** A slice of an export, and the members of the response that show whether it is complete. */
export interface ExportSlice {
  items: CompleteItem[];
  status: Pick<estypes.SearchResponse, 'timed_out' | '_shards' | 'pit_id'>;
}

/** Reads a search response with whole documents. @throws Error if `body` is not a search response */
export function readExportSlice(body: Buffer): ExportSlice {
  const items: CompleteItem[] = [];
  const status: Record<string, unknown> = {};
  eachMember(body, 0, (name, at) => {
    if (name === 'hits') return readHits(body, at, items);
    const end = skipValue(body, at);
    status[name] = JSON.parse(body.toString('utf8', at, end));
    return end;
  });
  return { items, status: status as unknown as ExportSlice['status'] };
}

function readHits(body: Buffer, at: number, items: CompleteItem[]): number {
  return eachMember(body, at, (name, value) => {
    if (name !== 'hits') return skipValue(body, value);
    return eachElement(body, value, (hit) =>
      eachMember(body, hit, (member, start) =>
        member === '_source'
          ? readCompleteItem(body, start, (item) => items.push(item))
          : skipValue(body, start),
      ),
    );
  });
}
