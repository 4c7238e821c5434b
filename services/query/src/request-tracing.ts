import type { IncomingMessage, RequestListener } from 'node:http';
import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Metrics } from './metrics.ts';

/**
 * The same listener with a server span around each request, under the parent that the client's
 * `traceparent` names (W3C Trace Context). What Elasticsearch is asked for meanwhile is below it.
 */
export function traceRequests(listener: RequestListener): RequestListener {
  const tracer = trace.getTracer('vitrine-query');
  return (request, response) => {
    const parent = propagation.extract(ROOT_CONTEXT, request.headers);
    const span = tracer.startSpan(request.method ?? 'GET', { kind: SpanKind.SERVER, attributes: attributesOf(request) }, parent);
    response.once('close', () => {
      span.setAttribute('http.response.status_code', response.statusCode);
      if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
    context.with(trace.setSpan(parent, span), () => listener(request, response));
  };
}

/** The same metrics; what they are told of an answer, its span is told too. */
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
  const [path = '', query] = url.split('?', 2);
  return {
    'http.request.method': method,
    'url.scheme': 'http',
    'url.path': path,
    ...(query !== undefined && { 'url.query': query }),
    ...(socket.remoteAddress !== undefined && { 'client.address': socket.remoteAddress }),
    ...(headers['user-agent'] !== undefined && { 'user_agent.original': headers['user-agent'] }),
  };
}
