import type { Readable } from 'node:stream';
import { traceExporter } from '@vitrine/runtime/tracing';
import { type PostOptions, type Sender, type SendSearch, sendDirectly } from './direct-search.ts';
import { refusedSearch } from './search-failure.ts';

/** Sends a search with the client library, which also creates a span for the search. */
const sendWithSpan: SendSearch = async (
  { elasticsearch, responses },
  path,
  body,
  { hits, maxBytes, opaqueId, signal },
) => {
  const { statusCode = 0, body: stream } = await elasticsearch.transport.request<Readable>(
    { method: 'POST', path, body, meta: { name: path.endsWith('_mget') ? 'mget' : 'search' } },
    { asStream: true, meta: true, opaqueId, signal },
  );
  return { status: statusCode, bytes: await responses.read(stream, hits, maxBytes) };
};

/**
 * The client library creates spans. If no exporter sends them, the spans and the library's transport only
 * cost CPU time.
 */
const send: SendSearch = traceExporter(process.env) === undefined ? sendDirectly : sendWithSpan;

/**
 * Posts a search or a look-up, and returns the response as bytes.
 * @throws FeedUnavailable, PointInTimeLost if Elasticsearch refuses; PageTooLarge, Overloaded; the errors
 * from the client library
 */
export async function postSearch(
  sender: Sender & { send?: SendSearch },
  path: string,
  body: object,
  options: PostOptions,
): Promise<Buffer> {
  const { status, bytes } = await (sender.send ?? send)(sender, path, body, options);
  if (status === 200) return bytes;
  throw refusedSearch(status, bytes);
}
