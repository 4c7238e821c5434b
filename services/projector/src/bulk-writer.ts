import type { Client, estypes } from '@elastic/elasticsearch';
import { type BulkOutcome, classify } from './bulk-outcome.ts';

/** One bulk entry: its action line, and the document's JSON unless it deletes. */
export interface BulkEntry {
  action: estypes.BulkOperationContainer;
  document?: string;
}

export interface BulkResult {
  outcome: Exclude<BulkOutcome, 'system'>;
  item: estypes.BulkResponseItem;
}

/** Elasticsearch cannot take what it is given now; the same request will do when it can again. */
export class SystemTrouble extends Error {
  override readonly name = 'SystemTrouble';
}

/** A request of this size keeps Elasticsearch busy and its memory calm; a single larger document goes alone. */
export const MAX_BULK_BYTES = 5 * 1024 * 1024;

const NEWLINE = '\n';

/** What is read of an answer; the rest would be most of it. */
const ANSWERED = ['_id', '_index', 'status', 'error', '_version', '_seq_no', '_primary_term'].map((member) => `items.*.${member}`).join();

/** Each line is encoded where it goes: `client.bulk` would join them to one text, and flatten and measure that before it is encoded. */
function bodyOf(entries: readonly BulkEntry[]): Buffer {
  const lines = entries.flatMap(({ action, document }) => (document === undefined ? [JSON.stringify(action)] : [JSON.stringify(action), document]));
  const body = Buffer.allocUnsafeSlow(lines.reduce((bytes, line) => bytes + Buffer.byteLength(line) + NEWLINE.length, 0));
  let end = 0;
  for (const line of lines) {
    end += body.write(line, end);
    end += body.write(NEWLINE, end);
  }
  return body;
}

/**
 * Writes the entries with one `_bulk` request.
 * @param onEntry told of what became of each entry, up to the first that met a fault of the system
 * @returns one result an entry, in order.
 * @throws SystemTrouble when the request failed or any entry met a fault of the system. Entries may
 * then have been written or not: the caller starts again from the states.
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
    querystring: { require_alias: true, filter_path: ANSWERED },
    bulkBody: bodyOf(entries),
  };
  const response = await client.transport.request<estypes.BulkResponse>(request, signal && { signal }).catch((error: Error) => {
    throw new SystemTrouble(`a bulk request failed: ${error.message}`, { cause: error });
  });
  if (response.items.length !== entries.length)
    throw new SystemTrouble(`a bulk of ${entries.length} entries was answered with ${response.items.length}`);
  return response.items.map((answer) => {
    const item = Object.values(answer)[0] as estypes.BulkResponseItem;
    const outcome = classify(item);
    onEntry?.(outcome);
    if (outcome === 'system') throw new SystemTrouble(`a bulk entry was answered ${item.status} ${item.error?.type}: ${item.error?.reason}`);
    return { outcome, item };
  });
}
