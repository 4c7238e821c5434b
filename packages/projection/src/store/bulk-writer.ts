import { type Client, errors, type estypes } from '@elastic/elasticsearch';
import { failureReason } from '@vitrine/runtime/elasticsearch';
import { type BulkOutcome, classify } from './bulk-outcome.ts';
import { ElasticsearchUnavailableError, isTooLarge } from './elasticsearch-unavailable.ts';

/**
 * This size is large enough to keep Elasticsearch busy, and small enough for its memory. A larger document
 * gets its own request.
 */
const LARGEST_BYTES = 5 * 1024 * 1024;

/**
 * No sensible configuration refuses a request of this size, in bytes. If Elasticsearch or a proxy refuses
 * such a request, the settings are wrong and the documents are not at fault.
 */
const SMALLEST_BYTES = 8 * 1024;

/**
 * How long a learned limit is valid, in milliseconds. After this time, the next large requests learn the
 * limit again. From 5 MiB to 1 MiB, this costs three refused requests.
 */
const REMEMBERED_MS = 600_000;

interface Learned {
  bytes: number;
  /** A time on the monotonic clock, in milliseconds. */
  until: number;
}

/**
 * The limit belongs to the path between a client and Elasticsearch, so all writers with the same client share
 * it.
 */
const learned = new WeakMap<Client, Learned>();

/**
 * Returns the size to which bulk requests are filled, in bytes.
 * @param now the time on the monotonic clock, in milliseconds
 */
export function bulkLimit(client: Client, now = performance.now()): number {
  const found = learned.get(client);
  return found && now < found.until ? found.bytes : LARGEST_BYTES;
}

/** Lowers the limit to half the size of a request that was refused because of its size. */
export function lowerBulkLimit(client: Client, refusedBytes: number, now = performance.now()): void {
  const half = Math.max(Math.floor(refusedBytes / 2), SMALLEST_BYTES);
  const bytes = Math.min(half, bulkLimit(client, now));
  learned.set(client, { bytes, until: now + REMEMBERED_MS });
}

/** One bulk entry: its action line and the document as JSON. A deletion has no document. */
export interface BulkEntry {
  action: estypes.BulkOperationContainer;
  document?: string;
}

interface BulkResult {
  outcome: Exclude<BulkOutcome, 'unavailable'>;
  item: estypes.BulkResponseItem;
}

interface BulkOptions {
  signal?: AbortSignal | undefined;
  /** Receives the outcome of each entry, up to the first `unavailable`. */
  onEntry?: ((outcome: BulkOutcome) => void) | undefined;
  /** This function is called before each request. If it throws, the remaining entries are not sent. */
  beforeRequest?: () => Promise<void> | void;
}

interface EncodedEntry {
  lines: string[];
  bytes: number;
}

const NEWLINE = '\n';

/**
 * The response members that the projector reads. The other members would make up most of the response. They
 * are not needed, because the results are in the order of the entries.
 */
const RESPONSE_MEMBERS = ['status', 'error', '_version', '_seq_no', '_primary_term']
  .map((member) => `items.*.${member}`)
  .join();

function encode({ action, document }: BulkEntry): EncodedEntry {
  const lines = document === undefined ? [JSON.stringify(action)] : [JSON.stringify(action), document];
  return { lines, bytes: lines.reduce((sum, line) => sum + Buffer.byteLength(line) + NEWLINE.length, 0) };
}

/** Encodes each line directly into the body. `client.bulk` would first build one long string. */
function bodyOf(entries: readonly EncodedEntry[]): Buffer {
  const body = Buffer.allocUnsafeSlow(entries.reduce((sum, { bytes }) => sum + bytes, 0));
  let end = 0;
  for (const { lines } of entries)
    for (const line of lines) {
      end += body.write(line, end);
      end += body.write(NEWLINE, end);
    }
  return body;
}

/** Returns the next entries that fit into a request of `limit` bytes, but at least one entry. */
function nextEntries(entries: readonly EncodedEntry[], from: number, limit: number): EncodedEntry[] {
  const next: EncodedEntry[] = [];
  let bytes = 0;
  for (let i = from; i < entries.length; i++) {
    const entry = entries[i] as EncodedEntry;
    bytes += entry.bytes;
    if (next.length > 0 && bytes > limit) break;
    next.push(entry);
  }
  return next;
}

/**
 * Writes the entries with `_bulk` requests of at most `bulkLimit` bytes, one after the other. If
 * Elasticsearch or a proxy refuses a request because of its size (413), the writer sends smaller requests. If
 * a document is refused even in a request of its own, its outcome is `rejected`
 * (docs/decisions/0083-waits-that-say-why.md).
 * @returns one result per entry, in order
 * @throws ElasticsearchUnavailableError if a request failed or any entry has the outcome `unavailable`. The
 * caller cannot know which entries were written, so it must read the states again.
 */
export async function writeBulk(
  client: Client,
  entries: readonly BulkEntry[],
  options: BulkOptions = {},
): Promise<BulkResult[]> {
  const encoded = entries.map(encode);
  const results: BulkResult[] = [];
  while (results.length < encoded.length) {
    const next = nextEntries(encoded, results.length, bulkLimit(client));
    for (const item of await send(client, next, options)) {
      const outcome = classify(item);
      options.onEntry?.(outcome);
      if (outcome === 'unavailable')
        throw new ElasticsearchUnavailableError(
          `a bulk entry failed with HTTP status ${item.status}: ${item.error?.type}: ${item.error?.reason}`,
        );
      results.push({ outcome, item });
    }
  }
  return results;
}

/** Sends entries. @returns one item per entry; none if the caller must send fewer entries */
async function send(
  client: Client,
  entries: readonly EncodedEntry[],
  options: BulkOptions,
): Promise<estypes.BulkResponseItem[]> {
  const body = bodyOf(entries);
  const items = await sendBody(client, body, entries.length, options);
  if (items) return items;
  if (entries.length > 1) return [];
  await expectSmallRequestsFit(client, options.signal);
  // An administrator may have raised the limit between the two requests.
  return (await sendBody(client, body, 1, options)) ?? [tooLarge(body.length)];
}

/**
 * @returns undefined if the request was refused because of its size. The limit is then lower from now on.
 */
async function sendBody(
  client: Client,
  body: Buffer,
  count: number,
  { signal, beforeRequest }: BulkOptions,
): Promise<estypes.BulkResponseItem[] | undefined> {
  await beforeRequest?.();
  const response = await post(client, body, signal).catch((error: unknown) => {
    if (!isTooLarge(error)) throw unavailable(error);
    if (body.length <= SMALLEST_BYTES) throw unavailable(error, refusedSize(body.length));
    lowerBulkLimit(client, body.length);
    return undefined;
  });
  if (response === undefined) return undefined;
  const items = (response.items ?? []).map((answer) => Object.values(answer)[0] as estypes.BulkResponseItem);
  if (items.length !== count)
    throw new ElasticsearchUnavailableError(
      `Elasticsearch returned ${items.length} results for ${count} bulk entries`,
    );
  return items;
}

const post = (client: Client, bulkBody: Buffer, signal: AbortSignal | undefined) =>
  client.transport.request<estypes.BulkResponse>(
    {
      method: 'POST',
      path: '/_bulk',
      meta: { name: 'bulk' },
      querystring: { require_alias: true, filter_path: RESPONSE_MEMBERS },
      bulkBody,
    },
    signal && { signal },
  );

/**
 * Checks that a small request is not refused, because a proxy that refuses everything must not turn every
 * document into a dead letter.
 * @throws ElasticsearchUnavailableError
 */
async function expectSmallRequestsFit(client: Client, signal: AbortSignal | undefined): Promise<void> {
  // Empty lines write nothing, so Elasticsearch responds with 400.
  await post(client, Buffer.alloc(SMALLEST_BYTES, NEWLINE), signal).catch((error: unknown) => {
    if (error instanceof errors.ResponseError && error.statusCode === 400) return;
    throw unavailable(error, isTooLarge(error) ? refusedSize(SMALLEST_BYTES) : undefined);
  });
}

const unavailable = (cause: unknown, what = 'a bulk request failed') =>
  new ElasticsearchUnavailableError(`${what}: ${failureReason(cause)}`, { cause });

const refusedSize = (bytes: number) =>
  `Elasticsearch or a proxy in front of it refuses bulk requests of ${bytes} bytes. Raise its limit ` +
  '(nginx: client_max_body_size; Elasticsearch: http.max_content_length)';

const tooLarge = (bytes: number): estypes.BulkResponseItem => ({
  _index: '',
  status: 413,
  error: {
    type: 'request_too_large',
    reason:
      `Elasticsearch or a proxy in front of it answered with HTTP status 413 to the ${bytes} bytes of ` +
      'this document alone',
  },
});
