import type { ProjectorMetrics } from '../metrics.ts';

/** The lag of one partition. */
export interface PartitionLag {
  partition: number;
  records: bigint;
  /** Age of the first unfinished record. 0 if all records are finished. */
  seconds: number;
}

/** Sets the lag metrics of a generation for the partitions that are assigned to this process. */
export class LagGauges {
  readonly #metrics: ProjectorMetrics;
  readonly #generation: string;
  #shown: number[] = [];
  #held: number[] = [];

  constructor(metrics: ProjectorMetrics, generation: number) {
    this.#metrics = metrics;
    this.#generation = String(generation);
  }

  /** @param held the records that open transactions hold back, and the age of these transactions */
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
    this.#metrics.paused.set({ generation: this.#generation }, pausedPartitions);
    this.#held = held.map(({ partition }) => partition);
    this.#shown = lags.map(({ partition }) => partition);
  }

  /** Removes the metrics. Called when this process no longer projects the generation. */
  clear(): void {
    this.#forget();
    this.#metrics.paused.remove({ generation: this.#generation });
    this.#metrics.freshness.remove({ generation: this.#generation });
    this.#metrics.changeVisible.remove({ generation: this.#generation });
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

  #labels(partition: number): { generation: string; partition: string } {
    return { generation: this.#generation, partition: String(partition) };
  }
}
