import {
  type Context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { SourceRecord } from '@vitrine/kafka';
import { traceExporter } from '@vitrine/runtime/tracing';
import type { DecodedRecords } from './decoded-records.ts';

const isTracing = traceExporter(process.env) !== undefined;

/**
 * Runs the work on a chunk in a span. The spans of the requests to Elasticsearch are children of this span. A
 * chunk has many parents, but a span has only one. Therefore each record with a `traceparent` gets a span in
 * its own trace, and both spans link to each other. Source: OpenTelemetry semantic conventions, "Messaging
 * spans".
 */
export async function traceChunk<T>(
  groupId: string,
  chunk: readonly SourceRecord[],
  { traced }: DecodedRecords,
  work: () => Promise<T>,
): Promise<T> {
  const [first] = chunk;
  if (!isTracing || !first) return work();
  const origins = traced.map(({ record, traceparent }) => ({
    record,
    parent: propagation.extract(ROOT_CONTEXT, { traceparent }),
  }));
  const name = `process ${first.topic}`;
  const attributes = {
    'messaging.system': 'kafka',
    'messaging.operation.type': 'process',
    'messaging.operation.name': 'process',
    'messaging.destination.name': first.topic,
    'messaging.destination.partition.id': String(first.partition),
    'messaging.consumer.group.name': groupId,
  };
  const tracer = trace.getTracer('vitrine-projector');
  const options = { kind: SpanKind.CONSUMER, links: origins.flatMap(({ parent }) => linkTo(parent)) };
  return tracer.startActiveSpan(
    name,
    { ...options, attributes: { ...attributes, 'messaging.batch.message_count': chunk.length } },
    ROOT_CONTEXT,
    async (span) => {
      const spans: Span[] = [
        span,
        ...origins.map(({ record, parent }) =>
          tracer.startSpan(
            name,
            {
              kind: SpanKind.CONSUMER,
              attributes: { ...attributes, ...placeOf(record) },
              links: [{ context: span.spanContext() }],
            },
            parent,
          ),
        ),
      ];
      try {
        return await work();
      } catch (error) {
        for (const one of spans) one.setStatus({ code: SpanStatusCode.ERROR, message: String(error) });
        throw error;
      } finally {
        for (const one of spans) one.end();
      }
    },
  );
}

function linkTo(parent: Context) {
  const context = trace.getSpanContext(parent);
  return context ? [{ context }] : [];
}

const placeOf = ({ offset, key }: SourceRecord) => ({
  'messaging.kafka.offset': Number(offset),
  'messaging.kafka.message.key': String(key),
});
