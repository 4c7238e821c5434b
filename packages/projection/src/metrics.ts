import { HIDDEN_REASONS } from '@vitrine/listing';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { DEAD_LETTER_REASONS } from './dead-letters/dead-letter.ts';
import type { BulkOutcome } from './store/bulk-outcome.ts';

export type ProjectorMetrics = ReturnType<typeof createMetrics>;

const KIB = 1024;
const CHUNK_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
/** Buckets from sub-second delays to a source that was offline for a week. */
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

/** The projector's metrics in a separate registry. docs/operate/observability.md explains each one. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const metrics = {
    registry,
    /** Calls `isReady` whenever metrics are collected. */
    watchReady(isReady: () => boolean): void {
      new Gauge({
        name: 'service_ready',
        help: 'What /health/ready says: 1 = ready',
        registers,
        collect() {
          this.set(Number(isReady()));
        },
      });
    },
    records: new Counter({ name: 'projector_records_total', help: 'Records finished', registers }),
    bytes: new Counter({
      name: 'projector_record_bytes_total',
      help: 'Bytes of finished records',
      registers,
    }),
    skipped: new Counter({
      name: 'projector_skipped_total',
      help: 'Well-formed events of an unknown type',
      registers,
    }),
    folds: new Counter({ name: 'projector_folds_total', help: 'Events folded into states', registers }),
    deadLetters: new Counter({
      name: 'projector_dead_letters_total',
      help: 'Dead letters by reason',
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
      help: 'Entries of answered bulk requests, by what became of them',
      labelNames: ['index', 'outcome'] as const,
      registers,
    }),
    retries: new Counter({
      name: 'projector_elasticsearch_retries_total',
      help: 'Chunks tried again because Elasticsearch could not take them',
      registers,
    }),
    batchBytes: new Histogram({
      name: 'projector_batch_bytes',
      help: 'Bytes that a fetch brought of a partition, as they are in the log',
      buckets: BATCH_BYTES,
      registers,
    }),
    chunkSeconds: new Histogram({
      name: 'projector_chunk_duration_seconds',
      help: 'From a chunk of a batch to its commit, pauses included',
      buckets: CHUNK_SECONDS,
      registers,
    }),
    freshness: new Histogram({
      name: 'projector_freshness_seconds',
      help: "From an event's time until it is written",
      labelNames: ['generation'] as const,
      buckets: FRESHNESS_SECONDS,
      registers,
    }),
    lag: new Gauge({
      name: 'projector_lag_records',
      help: 'Records not yet finished',
      labelNames: ['generation', 'partition'] as const,
      registers,
    }),
    lagSeconds: new Gauge({
      name: 'projector_lag_seconds',
      help: 'Age of the first record that is not yet finished; 0 = there is none',
      labelNames: ['generation', 'partition'] as const,
      registers,
    }),
    paused: new Gauge({
      name: 'projector_paused_partitions',
      help: 'Partitions held because Elasticsearch cannot take more',
      labelNames: ['generation'] as const,
      registers,
    }),
    generations: new Gauge({
      name: 'projector_generation_info',
      help: 'The generations there are: 1 for each',
      labelNames: ['generation', 'role', 'phase'] as const,
      registers,
    }),
    items: new Gauge({
      name: 'projector_generation_items',
      help: 'Items in the feed index',
      labelNames: ['generation'] as const,
      registers,
    }),
    hiddenListings: new Gauge({
      name: 'projector_generation_hidden_listings',
      help: 'Listings that are in no feed, by reason',
      labelNames: ['generation', 'reason'] as const,
      registers,
    }),
    replayDone: new Gauge({
      name: 'projector_replay_done',
      help: 'What the running replay has done of its phase: records, or listings',
      labelNames: ['generation', 'phase'] as const,
      registers,
    }),
    replayTotal: new Gauge({
      name: 'projector_replay_total',
      help: 'What the running replay has to do in its phase',
      labelNames: ['generation', 'phase'] as const,
      registers,
    }),
  };
  // A counter that first appears at 1 is invisible to increase(), so every reason starts at 0.
  for (const reason of HIDDEN_REASONS) metrics.hidden.inc({ reason }, 0);
  for (const outcome of BULK_OUTCOMES)
    for (const index of ['states', 'items'] as const) metrics.bulkEntries.inc({ index, outcome }, 0);
  for (const reason of DEAD_LETTER_REASONS) metrics.deadLetters.inc({ reason }, 0);
  return metrics;
}
