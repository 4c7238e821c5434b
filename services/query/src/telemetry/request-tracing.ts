import type { IncomingMessage, RequestListener } from 'node:http';
import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { readHeader } from '../headers/request-headers.ts';
import { splitUrl } from '../request/query-string.ts';
import { CLIENT_DISCONNECTED, type Metrics } from './metrics.ts';

/** Maximum length of client-supplied text in a span. Spans wait in memory until they are exported. */
const MAX_ATTRIBUTE_LENGTH = 1_024;

/**
 * Wraps a listener so that each request has a server span. The parent of this span is the span in the
 * client's `traceparent` (W3C Trace Context), and its children are the spans of the Elasticsearch searches.
 * The service ignores `baggage`.
 */
export function traceRequests(listener: RequestListener): RequestListener {
  const tracer = trace.getTracer('vitrine-query');
  return (request, response) => {
    const parent = propagation.extract(ROOT_CONTEXT, traceHeaders(request));
    const span = tracer.startSpan(
      request.method ?? 'GET',
      { kind: SpanKind.SERVER, attributes: attributesOf(request) },
      parent,
    );
    response.once('close', () => {
      // Before its headers are sent, a response has only Node's default status, which is 200.
      const status = response.headersSent ? response.statusCode : CLIENT_DISCONNECTED;
      span.setAttribute('http.response.status_code', status);
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
    context.with(trace.setSpan(parent, span), () => listener(request, response));
  };
}

const traceHeaders = ({ headers }: IncomingMessage): Record<string, string | undefined> => ({
  traceparent: readHeader(headers, 'traceparent'),
  tracestate: readHeader(headers, 'tracestate'),
});

/** Wraps metrics so that they also add attributes of the response to the active span. */
export function traceResponses(metrics: Metrics): Metrics {
  return {
    ...metrics,
    countResponse(operation, status, seconds, cache) {
      trace
        .getActiveSpan()
        ?.setAttributes({ 'vitrine.operation': operation, 'vitrine.cache': cache ?? 'none' });
      metrics.countResponse(operation, status, seconds, cache);
    },
  };
}

/** Source: OpenTelemetry semantic conventions, "HTTP server". */
function attributesOf({ method = '', url = '', socket, headers }: IncomingMessage): Record<string, string> {
  const { path, query } = splitUrl(url);
  const userAgent = readHeader(headers, 'user-agent');
  return {
    'http.request.method': method,
    'url.scheme': 'http',
    'url.path': path.slice(0, MAX_ATTRIBUTE_LENGTH),
    ...(query !== '' && { 'url.query': query.slice(0, MAX_ATTRIBUTE_LENGTH) }),
    ...(socket.remoteAddress !== undefined && { 'client.address': socket.remoteAddress }),
    ...(userAgent !== undefined && { 'user_agent.original': userAgent }),
  };
}
