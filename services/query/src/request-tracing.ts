import type { IncomingMessage, RequestListener } from 'node:http';
import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Metrics } from './metrics.ts';
import { readHeader } from './request-headers.ts';
import { splitTarget } from './request-target.ts';

/** Spans wait in memory until they are sent, so the client's text in one has a bound. */
const MAX_ATTRIBUTE_LENGTH = 1_024;

/**
 * The same listener with a server span around each request, under the parent that the client's `traceparent` names
 * (W3C Trace Context). Spans of the searches in Elasticsearch are below it. The service ignores `baggage`.
 */
export function traceRequests(listener: RequestListener): RequestListener {
  const tracer = trace.getTracer('vitrine-query');
  return (request, response) => {
    const parent = propagation.extract(ROOT_CONTEXT, traceHeaders(request));
    const span = tracer.startSpan(request.method ?? 'GET', { kind: SpanKind.SERVER, attributes: attributesOf(request) }, parent);
    response.once('close', () => {
      span.setAttribute('http.response.status_code', response.statusCode);
      if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
    context.with(trace.setSpan(parent, span), () => listener(request, response));
  };
}

const traceHeaders = ({ headers }: IncomingMessage): Record<string, string | undefined> => ({
  traceparent: readHeader(headers, 'traceparent'),
  tracestate: readHeader(headers, 'tracestate'),
});

/** The same metrics, which also set the attributes of a response on its span. */
export function traceAnswers(metrics: Metrics): Metrics {
  return {
    ...metrics,
    answered(operation, status, seconds, cache) {
      trace.getActiveSpan()?.setAttributes({ 'vitrine.operation': operation, 'vitrine.cache': cache ?? 'none' });
      metrics.answered(operation, status, seconds, cache);
    },
  };
}

/** Source: OpenTelemetry semantic conventions, "HTTP server". */
function attributesOf({ method = '', url = '', socket, headers }: IncomingMessage): Record<string, string> {
  const { path, query } = splitTarget(url);
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
