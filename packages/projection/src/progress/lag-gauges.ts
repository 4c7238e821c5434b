import type { Gauge } from 'prom-client';

export interface PartitionLag {
  partition: number;
  records: bigint;
  /** The age of the first unfinished record. It is 0 if all records are finished. */
  seconds: number;
}

/**
 * The lag metrics. Their labels are the consumer's labels and `partition`. `paused` has no label `partition`.
 */
interface LagMetrics {
  lag: Gauge;
  lagSeconds: Gauge;
  openTransactionRecords: Gauge;
  openTransactionSeconds: Gauge;
  paused: Gauge;
}

/** Sets the lag metrics of a consumer for the partitions that are assigned to this process. */
export class LagGauges {
  readonly #metrics: LagMetrics;
  readonly #consumer: Record<string, string>;
  #shown: number[] = [];
  #held: number[] = [];

  /** @param consumer the labels of the consumer */
  constructor(metrics: LagMetrics, consumer: Record<string, string>) {
    this.#metrics = metrics;
    this.#consumer = consumer;
  }

  /** @param held the records that open transactions hold back, and the ages of these transactions */
  show(lags: readonly PartitionLag[], pausedPartitions: number, held: readonly PartitionLag[]): void {
    this.#forget();
    for (const { partition, records, seconds } of lags) {
      this.#metrics.lag.set(this.#labels(partition), Number(records));
      this.#metrics.lagSeconds.set(this.#labels(partition), seconds);
    }
    for (const { partition, records, seconds } of held) {
      this.#metrics.openTransactionRecords.set(this.#labels(partition), Number(records));
      this.#metrics.openTransactionSeconds.set(this.#labels(partition), seconds);
    }
    this.#metrics.paused.set(this.#consumer, pausedPartitions);
    this.#held = held.map(({ partition }) => partition);
    this.#shown = lags.map(({ partition }) => partition);
  }

  /** Removes the metrics. This method is called when the consumer has stopped. */
  clear(): void {
    this.#forget();
    this.#metrics.paused.remove(this.#consumer);
  }

  #forget(): void {
    for (const partition of this.#shown) {
      this.#metrics.lag.remove(this.#labels(partition));
      this.#metrics.lagSeconds.remove(this.#labels(partition));
    }
    for (const partition of this.#held) {
      this.#metrics.openTransactionRecords.remove(this.#labels(partition));
      this.#metrics.openTransactionSeconds.remove(this.#labels(partition));
    }
    this.#shown = [];
    this.#held = [];
  }

  #labels(partition: number): Record<string, string> {
    return { ...this.#consumer, partition: String(partition) };
  }
}
