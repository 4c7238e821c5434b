import { UNREADABLE_REASONS } from '@vitrine/kafka';
import { serviceMetrics } from '@vitrine/runtime/service';
import { UNDECODABLE } from './decode-content.ts';
import { REFUSED_BY_TOPIC } from './event-outbox.ts';
import { MAPPING_FAILED } from './map-record.ts';

export type IngestMetrics = ReturnType<typeof createMetrics>;

const CHUNK_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
/** The reasons in the event contract for which an event from a mapping can be refused. */
const EVENT_REASONS = ['schema', 'too-large', 'too-deep', 'version-too-high', 'unprocessable'];

/** The reasons for the ingest's dead letters (docs/start/ingest.md#dead-letters). */
const INGEST_REASONS = [
  UNDECODABLE,
  MAPPING_FAILED,
  ...EVENT_REASONS,
  REFUSED_BY_TOPIC,
  ...UNREADABLE_REASONS,
] as const;

/** Creates the metrics of the ingest in their own registry. docs/operate/observability.md explains them. */
export function createMetrics(topics: readonly string[]) {
  const { registry, watchReady, counter, gauge, histogram } = serviceMetrics('ingest');
  const metrics = {
    registry,
    watchReady,
    records: counter('ingest_records_total', 'Number of finished records of a source topic', 'topic'),
    bytes: counter('ingest_record_bytes_total', 'Total size of finished records in bytes', 'topic'),
    events: counter('ingest_events_total', 'Events that Kafka acknowledged, by source topic', 'topic'),
    deadLetters: counter('ingest_dead_letters_total', 'Dead letters written, by reason', 'reason'),
    retries: counter(
      'ingest_retries_total',
      'Repetitions because Kafka or the schema registry was unavailable',
    ),
    chunkSeconds: histogram(
      'ingest_chunk_duration_seconds',
      'Time from the start of a chunk to its commit, including pauses',
      CHUNK_SECONDS,
    ),
    lag: gauge('ingest_lag_records', 'Number of unfinished records', 'topic', 'partition'),
    lagSeconds: gauge(
      'ingest_lag_seconds',
      'Age of the oldest unfinished record; 0 = no unfinished record',
      'topic',
      'partition',
    ),
    openTransactionSeconds: gauge(
      'ingest_open_transaction_seconds',
      'Time since this process first saw the open transaction that holds back the partition',
      'topic',
      'partition',
    ),
    openTransactionRecords: gauge(
      'ingest_open_transaction_records',
      'Records that an open transaction holds back',
      'topic',
      'partition',
    ),
    paused: gauge(
      'ingest_paused_partitions',
      'Partitions that are paused because Kafka or the schema registry is unavailable',
      'topic',
    ),
  };
  // increase() does not see a counter that first appears at 1.
  for (const reason of INGEST_REASONS) metrics.deadLetters.inc({ reason }, 0);
  for (const topic of topics)
    for (const one of [metrics.records, metrics.bytes, metrics.events]) one.inc({ topic }, 0);
  return metrics;
}
