interface Position {
  /** Whether this process consumes the partition. */
  isAssigned: boolean;
  /** The offset of the first unfinished record. It is undefined until it is known. */
  unfinished?: bigint;
  /** The next offset to fetch. Earlier records are finished or in memory. */
  next?: bigint;
  /** The first offset in the log, and the offset after the log's last record. */
  low?: bigint;
  end?: bigint;
  /** The offset of the first record that an open transaction holds back, or `end` if there is none. */
  stable?: bigint;
  /**
   * Whether the committed offset is past the end, because the topic was truncated, or deleted and created
   * again.
   */
  isCut?: boolean;
  /** The timestamp of the first unfinished record while it is in memory, in epoch milliseconds. */
  unfinishedTime?: number;
  /** The estimated earliest time of the first unfinished record, in epoch milliseconds. */
  notBefore?: number;
}

/** The records in one partition from the first record of an open transaction to the end. */
export interface HeldBack {
  partition: number;
  offset: bigint;
  records: bigint;
}

/**
 * The range [low, end) of offsets in a partition's log, and the committed offset. The caller must read the
 * committed offset first.
 */
interface LogRange {
  low: bigint;
  end: bigint;
  stable: bigint;
  committed: bigint | undefined;
}

/**
 * The position and the lag of a consumer in each of its partitions. The consumer of partition 0 also counts
 * the lag of added partitions until the group assigns them. Pure.
 */
export class PartitionPositions {
  readonly #partitions = new Map<number, Position>();

  /** Replaces the assigned partitions. */
  assign(partitions: readonly number[]): void {
    const before = new Map(this.#partitions);
    this.#partitions.clear();
    for (const partition of partitions) {
      const notBefore = before.get(partition)?.notBefore;
      this.#partitions.set(partition, { isAssigned: true, ...(notBefore !== undefined && { notBefore }) });
    }
  }

  /** Records a fetch. All records before `next` are now finished or in memory. */
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
   * @param timestamp the last finished record's timestamp, in epoch milliseconds
   */
  finished(partition: number, unfinished: bigint, timestamp?: number): void {
    const position = this.#partitions.get(partition);
    if (!position) return;
    position.unfinished = unfinished;
    delete position.unfinishedTime;
    if (timestamp !== undefined) position.notBefore = timestamp;
  }

  /** @param now in epoch milliseconds */
  observe(partition: number, now: number, { low, end, stable, committed }: LogRange): void {
    const position = this.#positionOf(partition, committed);
    if (!position) return;
    position.low = low;
    position.end = end;
    position.stable = stable;
    position.isCut = committed !== undefined && committed > end;
    if (position.unfinished === undefined && committed !== undefined) position.unfinished = committed;
    // If there is no lag, every later record is younger than `now`.
    if (this.lag(partition) === 0n) position.notBefore = now;
    else position.notBefore ??= now;
  }

  /** A partition in which the group has no commit may be new, so perhaps no process consumes it yet. */
  #positionOf(partition: number, committed: bigint | undefined): Position | undefined {
    const known = this.#partitions.get(partition);
    if (known?.isAssigned) return known;
    if (committed !== undefined || !this.#partitions.get(0)?.isAssigned) {
      this.#partitions.delete(partition);
      return undefined;
    }
    const added = known ?? { isAssigned: false };
    this.#partitions.set(partition, added);
    return added;
  }

  /**
   * The number of records from the first unfinished record to the end of the log, including records in open
   * transactions. It is 0 until both offsets are known.
   */
  lag(partition: number): bigint {
    return this.#recordsUpTo(this.#partitions.get(partition)?.end, partition);
  }

  /** Whether an assigned partition has an unfinished record that no open transaction holds back. */
  hasReadableLag(): boolean {
    return this.withReadableLag().length > 0;
  }

  /** The assigned partitions with an unfinished record that no open transaction holds back. */
  withReadableLag(): number[] {
    return [...this.#partitions]
      .filter(
        ([partition, { isAssigned, stable }]) => isAssigned && this.#recordsUpTo(stable, partition) > 0n,
      )
      .map(([partition]) => partition);
  }

  /** The records that open transactions hold back in the assigned partitions. */
  heldBack(): HeldBack[] {
    return [...this.#partitions].flatMap(([partition, { isAssigned, stable, end }]) =>
      isAssigned && stable !== undefined && end !== undefined && stable < end
        ? [{ partition, offset: stable, records: end - stable }]
        : [],
    );
  }

  #recordsUpTo(end: bigint | undefined, partition: number): bigint {
    const { unfinished, low } = this.#partitions.get(partition) ?? {};
    if (end === undefined || low === undefined) return 0n;
    const from = unfinished ?? low;
    return end > from ? end - from : 0n;
  }

  /**
   * The age of the first unfinished record in seconds, rounded up. It is 0 if all records are finished. The
   * age is exact while the record is in memory. Before the consumer fetches the record, the result is an
   * upper bound: the age of the record before it, or the time since the partition last had no lag. Before the
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
