import { HIDDEN_REASONS } from '@vitrine/listing';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { DEAD_LETTER_REASONS } from './dead-letters/dead-letter.ts';
import type { BulkOutcome } from './store/bulk-outcome.ts';

export type ProjectorMetrics = ReturnType<typeof createMetrics>;

const KIB = 1024;
const CHUNK_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
/** Buckets from a quarter of a second to one week, which is a source that was offline for a week. */
const FRESHNESS_SECONDS = [0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200, 86_400, 604_800];
const BATCH_BYTES = [
  KIB,
  16 * KIB,
  64 * KIB,
  256 * KIB,
  KIB * KIB,
  2 * KIB * KIB,
  4 * KIB * KIB,
  8 * KIB * KIB,
];
const BULK_OUTCOMES: readonly BulkOutcome[] = ['done', 'conflict', 'rejected', 'unavailable'];

/**
 * Creates the projector's metrics in a separate registry. docs/operate/observability.md explains each metric.
 */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const metrics = {
    registry,
    /** Registers `isReady`, which each collection of metrics calls. */
    watchReady(isReady: () => boolean): void {
      new Gauge({
        name: 'service_ready',
        help: 'Result of /health/ready: 1 = ready, 0 = not ready',
        registers,
        collect() {
          this.set(Number(isReady()));
        },
      });
    },
    records: new Counter({ name: 'projector_records_total', help: 'Number of finished records', registers }),
    bytes: new Counter({
      name: 'projector_record_bytes_total',
      help: 'Total size of finished records in bytes',
      registers,
    }),
    skipped: new Counter({
      name: 'projector_skipped_total',
      help: 'Well-formed events that were skipped because their type is unknown',
      registers,
    }),
    folds: new Counter({
      name: 'projector_folds_total',
      help: 'Number of events folded into states',
      registers,
    }),
    deadLetters: new Counter({
      name: 'projector_dead_letters_total',
      help: 'Dead letters written, by reason',
      labelNames: ['reason'] as const,
      registers,
    }),
    visible: new Counter({
      name: 'projector_items_written_total',
      help: 'Items written to the feed index',
      registers,
    }),
    hidden: new Counter({
      name: 'projector_items_hidden_total',
      help: 'Listings found incomplete, by reason',
      labelNames: ['reason'] as const,
      registers,
    }),
    bulkEntries: new Counter({
      name: 'projector_bulk_entries_total',
      help: 'Entries of completed bulk requests, by index and outcome',
      labelNames: ['index', 'outcome'] as const,
      registers,
    }),
    retries: new Counter({
      name: 'projector_elasticsearch_retries_total',
      help: 'Retries of chunks that Elasticsearch could not accept',
      registers,
    }),
    batchBytes: new Histogram({
      name: 'projector_batch_bytes',
      help: 'Size of the data that one fetch returned for a partition, as stored in the log',
      buckets: BATCH_BYTES,
      registers,
    }),
    chunkSeconds: new Histogram({
      name: 'projector_chunk_duration_seconds',
      help: 'Time from the start of a chunk to its commit, including pauses',
      buckets: CHUNK_SECONDS,
      registers,
    }),
    freshness: new Histogram({
      name: 'projector_freshness_seconds',
      help: "Time from an event's time attribute to its write",
      labelNames: ['generation'] as const,
      buckets: FRESHNESS_SECONDS,
      registers,
    }),
    lag: new Gauge({
      name: 'projector_lag_records',
      help: 'Number of unfinished records',
      labelNames: ['generation', 'partition'] as const,
      registers,
    }),
    lagSeconds: new Gauge({
      name: 'projector_lag_seconds',
      help: 'Age of the oldest unfinished record; 0 = no unfinished record',
      labelNames: ['generation', 'partition'] as const,
      registers,
    }),
    paused: new Gauge({
      name: 'projector_paused_partitions',
      help: 'Partitions that are paused because Elasticsearch cannot accept writes',
      labelNames: ['generation'] as const,
      registers,
    }),
    generations: new Gauge({
      name: 'projector_generation_info',
      help: 'Always 1: one time series per existing generation',
      labelNames: ['generation', 'role', 'phase'] as const,
      registers,
    }),
    items: new Gauge({
      name: 'projector_generation_items',
      help: 'Number of items in the feed index',
      labelNames: ['generation'] as const,
      registers,
    }),
    hiddenListings: new Gauge({
      name: 'projector_generation_hidden_listings',
      help: 'Listings that are hidden from all feeds, by reason',
      labelNames: ['generation', 'reason'] as const,
      registers,
    }),
    replayDone: new Gauge({
      name: 'projector_replay_done',
      help: 'Records or listings that the running replay has finished in its current phase',
      labelNames: ['generation', 'phase'] as const,
      registers,
    }),
    replayTotal: new Gauge({
      name: 'projector_replay_total',
      help: 'Records or listings that the running replay must process in its current phase',
      labelNames: ['generation', 'phase'] as const,
      registers,
    }),
  };
  // increase() does not see a counter that first appears at 1, so every reason starts at 0.
  for (const reason of HIDDEN_REASONS) metrics.hidden.inc({ reason }, 0);
  for (const outcome of BULK_OUTCOMES)
    for (const index of ['states', 'items'] as const) metrics.bulkEntries.inc({ index, outcome }, 0);
  for (const reason of DEAD_LETTER_REASONS) metrics.deadLetters.inc({ reason }, 0);
  return metrics;
}
