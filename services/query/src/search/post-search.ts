import type { Readable } from 'node:stream';
import type { Client } from '@elastic/elasticsearch';
import { traceExporter } from '@vitrine/runtime/tracing';
import type { ResponseReader } from './response-reader.ts';
import { refusedSearch } from './search-failure.ts';

/** The client library creates spans only if an exporter sends them, because they cost CPU time. */
const OPEN_TELEMETRY = { enabled: traceExporter(process.env) !== undefined };

interface Sender {
  elasticsearch: Client;
  /** Reads responses within the memory limits. */
  responses: ResponseReader;
}

interface PostOptions {
  /** Number of documents that the response may contain. */
  hits: number;
  /** Maximum size of the response, if it is below that of any response. */
  maxBytes?: number | undefined;
  /** Identifies the search in Elasticsearch's task list and slow log. */
  opaqueId: string;
  signal: AbortSignal;
}

/**
 * Posts a search or a look-up, and returns the response as bytes. The client library would parse the documents,
 * which the service serves unparsed.
 * @throws FeedUnavailable, PointInTimeLost if Elasticsearch refuses; PageTooLarge, Overloaded; the errors of the
 * client library
 */
export async function postSearch(
  { elasticsearch, responses }: Sender,
  path: string,
  body: object,
  { hits, maxBytes, opaqueId, signal }: PostOptions,
): Promise<Buffer> {
  const { statusCode, body: stream } = await elasticsearch.transport.request<Readable>(
    { method: 'POST', path, body, meta: { name: path.endsWith('_mget') ? 'mget' : 'search' } },
    { asStream: true, meta: true, opaqueId, signal, openTelemetry: OPEN_TELEMETRY },
  );
  const bytes = await responses.read(stream, hits, maxBytes);
  if (statusCode === 200) return bytes;
  throw refusedSearch(statusCode ?? 0, bytes);
}
