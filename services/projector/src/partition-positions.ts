/** What is known of one assigned partition. */
interface Position {
  /** The first offset that is not finished; undefined until one is known. */
  unfinished?: bigint;
  /** The next offset to fetch: records before it are finished, or held in memory. */
  next?: bigint;
  /** The first offset in the log, and the one after its last. */
  low?: bigint;
  end?: bigint;
  /** The committed offset lies behind the end: the topic was cut, or deleted and created again. */
  isCut?: boolean;
  /** Timestamp of the first unfinished record, while that record is held in memory; epoch milliseconds. */
  held?: number;
  /** The first unfinished record is probably not older than this; epoch milliseconds. */
  notBefore?: number;
}

/** What a partition's log holds, [low, end), and the committed offset, which must have been read before. */
export interface LogRange {
  low: bigint;
  end: bigint;
  committed: bigint | undefined;
}

/** How far a consumer has come in each of its partitions, and how far it is behind. Pure. */
export class PartitionPositions {
  readonly #partitions = new Map<number, Position>();

  /** Replaces the assignment: these partitions, and no others, are read from now on. */
  assign(partitions: readonly number[]): void {
    const before = new Map(this.#partitions);
    this.#partitions.clear();
    for (const partition of partitions) {
      const notBefore = before.get(partition)?.notBefore;
      this.#partitions.set(partition, notBefore === undefined ? {} : { notBefore });
    }
  }

  /** Records up to `next` are held in memory, and wait for their turn. */
  fetched(partition: number, next: bigint): void {
    const position = this.#partitions.get(partition);
    if (position) position.next = next;
  }

  /** Work begins on a record, the first unfinished one. @param timestamp epoch milliseconds */
  reading(partition: number, timestamp: number): void {
    const position = this.#partitions.get(partition);
    if (position) position.held = timestamp;
  }

  /** Everything before `unfinished` is done. @param timestamp of the last finished record, epoch milliseconds */
  finished(partition: number, unfinished: bigint, timestamp?: number): void {
    const position = this.#partitions.get(partition);
    if (!position) return;
    position.unfinished = unfinished;
    delete position.held;
    if (timestamp !== undefined) position.notBefore = timestamp;
  }

  /** @param now epoch milliseconds */
  observe(partition: number, now: number, { low, end, committed }: LogRange): void {
    const position = this.#partitions.get(partition);
    if (!position) return;
    position.low = low;
    position.end = end;
    position.isCut = committed !== undefined && committed > end;
    if (position.unfinished === undefined && committed !== undefined) position.unfinished = committed;
    // A record that is not there yet will be younger than now; one that is there already is at least that old.
    if (this.lag(partition) === 0n) position.notBefore = now;
    else position.notBefore ??= now;
  }

  /** Records from the first unfinished one to the end of the log; 0 until both are known. */
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
   * Age of the first unfinished record in seconds, rounded up; 0 = there is none. It is exact while that
   * record is held in memory. Until it is fetched, its age is at most that of the record finished before
   * it, or the time since the partition had no lag; and before anything was read, the time since its lag
   * was first seen.
   */
  lagSeconds(partition: number, now: number): number {
    const { held, notBefore = now } = this.#partitions.get(partition) ?? {};
    if (this.lag(partition) === 0n) return 0;
    return Math.max(0, Math.ceil((now - (held ?? notBefore)) / 1_000));
  }

  /** A partition whose log no longer holds the record that is to be read next. */
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
