import { LostOffsetsError, type PartitionOffsets } from '@vitrine/kafka';
import type { Log } from '@vitrine/runtime/log';
import type { LagGauges } from './lag-gauges.ts';
import { OpenTransactions } from './open-transactions.ts';
import { PartitionPositions } from './partition-positions.ts';
import type { Pauses } from './pauses.ts';
import { type StallLimits, StallWatch } from './stall-watch.ts';

/**
 * The error for a consumer that has lag and is not paused, but makes no progress. Only a restart of the
 * process can help.
 */
class StalledError extends Error {
  override readonly name = 'StalledError';
}

export interface ConsumerHealthOptions {
  topic: string;
  pauses: Pauses;
  stallLimits: StallLimits;
  gauges: LagGauges;
  log: Log;
  /**
   * Reads the offsets of the log.
   * @throws LostOffsetsError if the topic is not the one that the consumer reads; KafkaError
   */
  readLogs: () => Promise<PartitionOffsets[]>;
}

/**
 * Compares the positions of a consumer with the log at intervals. Updates the lag metrics, and reports open
 * transactions, a consumer without progress, and records that Kafka deleted too early.
 */
export class ConsumerHealth {
  readonly positions = new PartitionPositions();
  readonly #options: ConsumerHealthOptions;
  readonly #transactions: OpenTransactions;
  readonly #watch: StallWatch;
  #timer: NodeJS.Timeout | undefined;
  #isObserving = false;

  constructor(options: ConsumerHealthOptions) {
    this.#options = options;
    this.#transactions = new OpenTransactions(options.stallLimits.unreadyAfter);
    this.#watch = new StallWatch(options.stallLimits);
  }

  recordProgress(): void {
    this.#watch.recordProgress(Date.now());
  }

  /**
   * The reasons why the consumer is not ready. The list is empty if no partition is paused and the consumer
   * makes progress.
   */
  reasons(): string[] {
    return [
      ...this.#options.pauses.reasons(),
      ...(this.#watch.liveness(Date.now()) === 'moving' ? [] : [this.#withoutProgress()]),
    ];
  }

  /**
   * Starts the comparison.
   * @param intervalMs the milliseconds between two reads of the log's offsets
   * @param onFatal receives the error that must end the consumer
   */
  start(intervalMs: number, onFatal: (error: Error) => void): void {
    this.#timer = setInterval(() => {
      // Only one poll runs at a time. If Kafka is slow, further polls would only accumulate.
      if (this.#isObserving) return;
      this.#isObserving = true;
      this.#observe()
        .then(
          (error) => error && onFatal(error),
          (error: unknown) => {
            if (error instanceof LostOffsetsError) onFatal(error);
            else this.#options.log.warn({ err: error }, 'could not read the offsets of the topic');
          },
        )
        .finally(() => {
          this.#isObserving = false;
        });
    }, intervalMs);
  }

  /** Ends the comparison. The metrics stay until `clear`, because the consumer may still finish its work. */
  stop(): void {
    clearInterval(this.#timer);
  }

  /** Removes the lag metrics. */
  clear(): void {
    this.#options.gauges.clear();
  }

  /**
   * Reads the log's offsets once and updates the lag metrics.
   * @returns the error that must end the consumer, if any
   */
  async #observe(): Promise<Error | undefined> {
    const { topic, pauses, readLogs } = this.#options;
    const { positions } = this;
    const logs = await readLogs();
    const now = Date.now();
    for (const { partition, ...log } of logs) positions.observe(partition, now, log);
    const lost = positions.lost();
    if (lost !== undefined) {
      // The topic may have been recreated between the read of its id and the read of its log.
      await readLogs();
      return new LostOffsetsError(
        `Kafka deleted records of ${topic}, partition ${lost}, before this process read them, or the ` +
          'topic was deleted and created again',
      );
    }
    // A consumer that is waiting for an open transaction is not stalled, and a restart would not help.
    this.#watch.observe(now, { hasLag: positions.hasReadableLag(), isPaused: pauses.any() });
    if (this.#watch.liveness(now) === 'dead') return new StalledError(this.#withoutProgress());
    this.#reportTransactions(now);
    this.#showLag(now);
    return undefined;
  }

  #showLag(now: number): void {
    const { positions } = this;
    this.#options.gauges.show(
      positions.partitions().map((partition) => ({
        partition,
        records: positions.lag(partition),
        seconds: positions.lagSeconds(partition, now),
      })),
      this.#options.pauses.count,
      this.#transactions.all().map(({ partition, records, since }) => ({
        partition,
        records,
        seconds: Math.ceil((now - since) / 1_000),
      })),
    );
  }

  /** Logs open transactions that have lasted too long, and their ends. */
  #reportTransactions(now: number): void {
    const { log, topic } = this.#options;
    const { long, ended } = this.#transactions.observe(now, this.positions.heldBack());
    for (const { partition, offset, records, since } of long)
      log.warn(
        {
          topic,
          partition,
          offset: String(offset),
          records: Number(records),
          since: new Date(since).toISOString(),
        },
        "an open transaction holds back the partition's records. If its producer is gone, abort it with " +
          'kafka-transactions.sh: see OpenTransaction in the runbook',
      );
    for (const { partition, offset } of ended)
      log.info({ topic, partition, offset: String(offset) }, 'the open transaction has ended');
  }

  /** Returns a clause that names the partitions with lag. */
  #withoutProgress(): string {
    const { positions } = this;
    const behind = positions.withReadableLag();
    // While the group rebalances or Kafka is unavailable, the process may have no assigned partition.
    if (behind.length === 0) return `the consumer of ${this.#options.topic} makes no progress`;
    const records = behind.reduce((sum, partition) => sum + positions.lag(partition), 0n);
    const named =
      behind.length > 10
        ? `${behind.slice(0, 10).join(', ')} and ${behind.length - 10} more`
        : behind.join(', ');
    return (
      `${this.#options.topic} has ${records} records of lag in partition ${named}, ` +
      'and the consumer makes no progress'
    );
  }
}
