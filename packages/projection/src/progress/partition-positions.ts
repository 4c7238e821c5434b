/** The known offsets of one assigned partition. */
interface Position {
  /** Offset of the first unfinished record. Undefined until it is known. */
  unfinished?: bigint;
  /** Next offset to fetch. Records before it are finished or in memory. */
  next?: bigint;
  /** First offset in the log, and the offset after its last record. */
  low?: bigint;
  end?: bigint;
  /**
   * Whether the committed offset is past the end, because the topic was truncated, or deleted and created
   * again.
   */
  isCut?: boolean;
  /** Timestamp of the first unfinished record while it is in memory, in epoch milliseconds. */
  unfinishedTime?: number;
  /** Estimated earliest time of the first unfinished record, in epoch milliseconds. */
  notBefore?: number;
}

/**
 * The offsets of a partition's log, [low, end), and the committed offset. The caller must read the committed
 * offset first.
 */
export interface LogRange {
  low: bigint;
  end: bigint;
  committed: bigint | undefined;
}

/** Position and lag of a consumer in each of its partitions. Pure. */
export class PartitionPositions {
  readonly #partitions = new Map<number, Position>();

  /** Replaces the assigned partitions. */
  assign(partitions: readonly number[]): void {
    const before = new Map(this.#partitions);
    this.#partitions.clear();
    for (const partition of partitions) {
      const notBefore = before.get(partition)?.notBefore;
      this.#partitions.set(partition, notBefore === undefined ? {} : { notBefore });
    }
  }

  /** Records a fetch: all records before `next` are finished or in memory. */
  fetched(partition: number, next: bigint): void {
    const position = this.#partitions.get(partition);
    if (position) position.next = next;
  }

  /**
   * Records that work on the first unfinished record begins.
   * @param timestamp in epoch milliseconds
   */
  reading(partition: number, timestamp: number): void {
    const position = this.#partitions.get(partition);
    if (position) position.unfinishedTime = timestamp;
  }

  /**
   * Records that every record before `unfinished` is finished.
   * @param timestamp of the last finished record, in epoch milliseconds
   */
  finished(partition: number, unfinished: bigint, timestamp?: number): void {
    const position = this.#partitions.get(partition);
    if (!position) return;
    position.unfinished = unfinished;
    delete position.unfinishedTime;
    if (timestamp !== undefined) position.notBefore = timestamp;
  }

  /** @param now in epoch milliseconds */
  observe(partition: number, now: number, { low, end, committed }: LogRange): void {
    const position = this.#partitions.get(partition);
    if (!position) return;
    position.low = low;
    position.end = end;
    position.isCut = committed !== undefined && committed > end;
    if (position.unfinished === undefined && committed !== undefined) position.unfinished = committed;
    // If there is no lag, every later record is younger than `now`.
    if (this.lag(partition) === 0n) position.notBefore = now;
    else position.notBefore ??= now;
  }

  /**
   * Number of records from the first unfinished record to the end of the log. 0 until both offsets are known.
   */
  lag(partition: number): bigint {
    const { unfinished, low, end } = this.#partitions.get(partition) ?? {};
    if (end === undefined || low === undefined) return 0n;
    const from = unfinished ?? low;
    return end > from ? end - from : 0n;
  }

  hasLag(): boolean {
    return this.partitions().some((partition) => this.lag(partition) > 0n);
  }

  /**
   * Age of the first unfinished record in seconds, rounded up. 0 if all records are finished. The age is
   * exact while the record is in memory. Before the consumer fetches the record, the result is an upper
   * bound: the age of the record before it, or the time since the partition last had no lag. Before the
   * consumer has read any record, the result is the time since it first saw lag.
   */
  lagSeconds(partition: number, now: number): number {
    const { unfinishedTime, notBefore = now } = this.#partitions.get(partition) ?? {};
    if (this.lag(partition) === 0n) return 0;
    return Math.max(0, Math.ceil((now - (unfinishedTime ?? notBefore)) / 1_000));
  }

  /** Finds a partition whose log no longer holds the next record. */
  lost(): number | undefined {
    return this.partitions().find((partition) => {
      const { unfinished, next = unfinished, low, isCut } = this.#partitions.get(partition) ?? {};
      return isCut || (next !== undefined && low !== undefined && next < low);
    });
  }

  partitions(): number[] {
    return [...this.#partitions.keys()];
  }
}
