/** What is known of one assigned partition. */
interface Progress {
  /** The first offset that is not finished; undefined until one is known. */
  position?: bigint;
  /** The next offset to fetch: what lies before it is finished, or held in memory. */
  next?: bigint;
  /** The first offset in the log, and the one after its last. */
  low?: bigint;
  end?: bigint;
  /** The committed offset lies behind the end: the topic was cut or made anew. */
  cut?: boolean;
  /** When it last moved, had no lag, or was paused on purpose; epoch milliseconds. */
  aliveAt: number;
}

/** How a partition fares: `lost` when the log no longer has what is to be read next. */
export type Verdict = 'moving' | 'stalled' | 'dead' | 'lost';

export interface StallLimits {
  /** Milliseconds without progress in spite of lag until the service is unready, and until it must end. */
  unreadyAfter: number;
  endAfter: number;
}

/** Tells progress from silence, by partition; pure but for the clock it is given. */
export class StallWatch {
  readonly #limits: StallLimits;
  readonly #partitions = new Map<number, Progress>();
  #lookedAt: number | undefined;

  constructor(limits: StallLimits) {
    this.#limits = limits;
  }

  /** These partitions, and no others, are ours from now on. */
  assign(partitions: readonly number[], now: number): void {
    this.#partitions.clear();
    for (const partition of partitions) this.#partitions.set(partition, { aliveAt: now });
  }

  /** Records up to `next` were fetched, and are being worked off. */
  fetched(partition: number, next: bigint): void {
    const progress = this.#partitions.get(partition);
    if (progress) progress.next = next;
  }

  /** The partition moved on; `position` is the first offset that is not finished, where that is known. */
  moved(partition: number, now: number, position?: bigint): void {
    const progress = this.#partitions.get(partition);
    if (!progress) return;
    progress.aliveAt = now;
    if (position !== undefined) progress.position = position;
  }

  /**
   * To be called before each look at the log. After a long time without one (Kafka was away, the
   * process was stopped) nobody could have moved, and nobody is blamed for it.
   */
  look(now: number): void {
    if (this.#lookedAt !== undefined && now - this.#lookedAt > this.#limits.unreadyAfter)
      for (const progress of this.#partitions.values()) progress.aliveAt = now;
    this.#lookedAt = now;
  }

  /** What the log holds, [low, end), and the committed offset, which must have been asked for before. */
  observe(partition: number, now: number, log: { low: bigint; end: bigint; committed: bigint | undefined }, paused: boolean): void {
    const progress = this.#partitions.get(partition);
    if (!progress) return;
    progress.low = log.low;
    progress.end = log.end;
    progress.cut = log.committed !== undefined && log.committed > log.end;
    if (progress.position === undefined && log.committed !== undefined) progress.position = log.committed;
    if (paused || this.lag(partition) === 0n) progress.aliveAt = now;
  }

  /** Records from the next one to the end of the log; 0 until both are known. */
  lag(partition: number): bigint {
    const { position, low, end } = this.#partitions.get(partition) ?? {};
    if (end === undefined || low === undefined) return 0n;
    const from = position ?? low;
    return end > from ? end - from : 0n;
  }

  /** @param now epoch milliseconds */
  verdict(partition: number, now: number): Verdict {
    const progress = this.#partitions.get(partition);
    if (!progress) return 'moving';
    const { position, next = position, low, cut, aliveAt } = progress;
    if (cut || (next !== undefined && low !== undefined && next < low)) return 'lost';
    if (now - aliveAt > this.#limits.endAfter) return 'dead';
    return now - aliveAt > this.#limits.unreadyAfter ? 'stalled' : 'moving';
  }

  partitions(): number[] {
    return [...this.#partitions.keys()];
  }
}
