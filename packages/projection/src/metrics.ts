import { HIDDEN_REASONS } from '@vitrine/listing';
import { serviceMetrics } from '@vitrine/runtime/service';
import { Gauge } from 'prom-client';
import { DEAD_LETTER_REASONS } from './dead-letters/dead-letter.ts';
import { sourceCounter } from './source-counter.ts';
import type { BulkOutcome } from './store/bulk-outcome.ts';

export type ProjectorMetrics = ReturnType<typeof createMetrics>;

const KIB = 1024;
const CHUNK_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
/** Buckets from a quarter of a second (normal operation) to one week (a source that was offline). */
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
 * Creates the projector's metrics in a registry of their own. docs/operate/observability.md explains them.
 * @param reasons the possible reasons why the rules hide a listing
 */
export function createMetrics(reasons: readonly string[] = HIDDEN_REASONS) {
  const { registry, watchReady, counter, gauge, histogram } = serviceMetrics('projector');
  const metrics = {
    registry,
    watchReady,
    watchBulkLimit(limit: () => number): void {
      new Gauge({
        name: 'projector_bulk_limit_bytes',
        help: 'Size to which bulk requests are filled; lower after Elasticsearch or a proxy answered 413',
        registers: [registry],
        collect() {
          this.set(limit());
        },
      });
    },
    records: counter('projector_records_total', 'Number of finished records'),
    bytes: counter('projector_record_bytes_total', 'Total size of finished records in bytes'),
    skipped: counter(
      'projector_skipped_total',
      'Well-formed events that were skipped because their type is unknown',
    ),
    countSources: sourceCounter(registry),
    deadLetters: counter('projector_dead_letters_total', 'Dead letters written, by reason', 'reason'),
    visible: counter('projector_items_written_total', 'Items written to the feed index'),
    hidden: counter('projector_items_hidden_total', 'Listings found incomplete, by reason', 'reason'),
    bulkEntries: counter(
      'projector_bulk_entries_total',
      'Entries of completed bulk requests, by index and outcome',
      'index',
      'outcome',
    ),
    retries: counter(
      'projector_elasticsearch_retries_total',
      'Retries of chunks that Elasticsearch could not accept',
    ),
    batchBytes: histogram(
      'projector_batch_bytes',
      'Size of the data that one fetch returned for a partition, as stored in the log',
      BATCH_BYTES,
    ),
    chunkSeconds: histogram(
      'projector_chunk_duration_seconds',
      'Time from the start of a chunk to its commit, including pauses',
      CHUNK_SECONDS,
    ),
    freshness: histogram(
      'projector_freshness_seconds',
      "Time from an event's time attribute to its write",
      FRESHNESS_SECONDS,
      'generation',
    ),
    changes: counter(
      'projector_changes_total',
      'Entries written to the changes index, by state',
      'generation',
      'state',
    ),
    changeVisible: histogram(
      'projector_change_visible_seconds',
      "Time from an event's time attribute to the visibility of its entry for followers of the changes",
      FRESHNESS_SECONDS,
      'generation',
    ),
    lag: gauge('projector_lag_records', 'Number of unfinished records', 'generation', 'partition'),
    lagSeconds: gauge(
      'projector_lag_seconds',
      'Age of the oldest unfinished record; 0 = no unfinished record',
      'generation',
      'partition',
    ),
    openTransactionSeconds: gauge(
      'projector_open_transaction_seconds',
      'Time since this process first saw the open transaction that holds back the partition',
      'generation',
      'partition',
    ),
    openTransactionRecords: gauge(
      'projector_open_transaction_records',
      'Records that an open transaction holds back',
      'generation',
      'partition',
    ),
    paused: gauge(
      'projector_paused_partitions',
      'Partitions that are paused because Elasticsearch cannot accept writes',
      'generation',
    ),
    generations: gauge(
      'projector_generation_info',
      'Always 1: one time series per existing generation',
      'generation',
      'role',
      'phase',
    ),
    awaitsReplay: gauge(
      'projector_awaits_replay',
      "1 = another projector writes the live generation, and no generation has this projector's versions",
    ),
    items: gauge('projector_generation_items', 'Number of items in the feed index', 'generation'),
    hiddenListings: gauge(
      'projector_generation_hidden_listings',
      'Listings that are hidden from all feeds, by reason',
      'generation',
      'reason',
    ),
    changesEntries: gauge(
      'projector_changes_entries',
      'Number of entries in the changes index, including kept changes of pruned generations',
      'generation',
    ),
    changesBytes: gauge(
      'projector_changes_bytes',
      'Size of the changes index including replicas, in bytes',
      'generation',
    ),
    changesSince: gauge(
      'projector_changes_since_timestamp_seconds',
      'Followers of the changes that were up to date at this time can continue (Unix time)',
      'generation',
    ),
    verifyTime: gauge(
      'projector_last_verify_timestamp_seconds',
      'End of the last run of verify --self on a live generation (Unix time), by outcome',
      'outcome',
    ),
    verifySuccess: gauge(
      'projector_last_verify_success_timestamp_seconds',
      'End of the last such run that left no differences, or else the start of the first run (Unix time)',
    ),
    verifyDifferences: gauge(
      'projector_last_verify_differences',
      'Items that differed from their states in the last such run, by result',
      'result',
    ),
    reconcileDifferences: gauge(
      'reconcile_differences',
      'Listings of which the source and the feed differed in the last complete run of reconcile, by kind',
      'kind',
    ),
    reconcileAge: gauge(
      'reconcile_age_seconds',
      'Time since the end of the last complete run of reconcile, in seconds',
    ),
    replayDone: gauge(
      'projector_replay_done',
      'Records or listings that the running replay has finished in its current phase',
      'generation',
      'phase',
    ),
    replayTotal: gauge(
      'projector_replay_total',
      'Records or listings that the running replay must process in its current phase',
      'generation',
      'phase',
    ),
  };
  // increase() does not see a counter that first appears at 1, so every reason starts at 0.
  for (const reason of reasons) metrics.hidden.inc({ reason }, 0);
  for (const outcome of BULK_OUTCOMES)
    for (const index of ['states', 'items', 'changes'] as const)
      metrics.bulkEntries.inc({ index, outcome }, 0);
  for (const reason of DEAD_LETTER_REASONS) metrics.deadLetters.inc({ reason }, 0);
  // A gauge without labels starts at 0, which would mean a success in 1970, or a run that has just ended.
  metrics.verifySuccess.remove();
  metrics.reconcileAge.remove();
  return metrics;
}
