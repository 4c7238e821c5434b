import type { Client, estypes } from '@elastic/elasticsearch';
import { type BulkOutcome, classify } from './bulk-outcome.ts';
import { ElasticsearchUnavailableError } from './elasticsearch-unavailable.ts';

/** One bulk entry: its action line and the document as JSON. A deletion has no document. */
export interface BulkEntry {
  action: estypes.BulkOperationContainer;
  document?: string;
}

export interface BulkResult {
  outcome: Exclude<BulkOutcome, 'unavailable'>;
  item: estypes.BulkResponseItem;
}

/**
 * Large enough to keep Elasticsearch busy, and small enough for its memory. A larger document gets its own
 * request.
 */
export const MAX_BULK_BYTES = 5 * 1024 * 1024;

const NEWLINE = '\n';

/**
 * The response members that the projector reads. The other members would be most of the response, and the
 * results are in the order of the entries.
 */
const RESPONSE_MEMBERS = ['status', 'error', '_version', '_seq_no', '_primary_term']
  .map((member) => `items.*.${member}`)
  .join();

/** Encodes each line directly into the body. `client.bulk` would first build one long string. */
function bodyOf(entries: readonly BulkEntry[]): Buffer {
  const lines = entries.flatMap(({ action, document }) =>
    document === undefined ? [JSON.stringify(action)] : [JSON.stringify(action), document],
  );
  const body = Buffer.allocUnsafeSlow(
    lines.reduce((bytes, line) => bytes + Buffer.byteLength(line) + NEWLINE.length, 0),
  );
  let end = 0;
  for (const line of lines) {
    end += body.write(line, end);
    end += body.write(NEWLINE, end);
  }
  return body;
}

/**
 * Writes the entries with one `_bulk` request.
 * @param onEntry receives the outcome of each entry, up to the first `unavailable`
 * @returns one result per entry, in order
 * @throws ElasticsearchUnavailableError if the request failed or any entry has the outcome `unavailable`. The
 * caller cannot know which entries were written, so it must read the states again.
 */
export async function writeBulk(
  client: Client,
  entries: readonly BulkEntry[],
  signal?: AbortSignal,
  onEntry?: (outcome: BulkOutcome) => void,
): Promise<BulkResult[]> {
  if (entries.length === 0) return [];
  const request = {
    method: 'POST',
    path: '/_bulk',
    meta: { name: 'bulk' },
    querystring: { require_alias: true, filter_path: RESPONSE_MEMBERS },
    bulkBody: bodyOf(entries),
  };
  const response = await client.transport
    .request<estypes.BulkResponse>(request, signal && { signal })
    .catch((error: Error) => {
      throw new ElasticsearchUnavailableError(`a bulk request failed: ${error.message}`, { cause: error });
    });
  if (response.items.length !== entries.length)
    throw new ElasticsearchUnavailableError(
      `Elasticsearch returned ${response.items.length} results for ${entries.length} bulk entries`,
    );
  return response.items.map((answer) => {
    const item = Object.values(answer)[0] as estypes.BulkResponseItem;
    const outcome = classify(item);
    onEntry?.(outcome);
    if (outcome === 'unavailable')
      throw new ElasticsearchUnavailableError(
        `a bulk entry failed with ${item.status} ${item.error?.type}: ${item.error?.reason}`,
      );
    return { outcome, item };
  });
}
