import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A fixed range of a topic. Because the range does not grow, a command never reads the records that it
 * causes.
 */
export type TopicRange = { partition: number; from: bigint; to: bigint }[];

/** The progress of a scan, in records. */
export interface ScanProgress {
  done: number;
  total: number;
}

/** The read fails if Kafka sends nothing for this long. */
const SILENCE_MS = 60_000;
const POLL_EVERY_MS = 50;

/** Tracks the progress of a range scan. */
export class RangeReading {
  readonly #topic: string;
  readonly #left: Map<number, { next: bigint; to: bigint }>;
  readonly #total: number;
  readonly #onProgress: ((progress: ScanProgress) => void) | undefined;
  #done = 0;
  #heardAt = performance.now();
  #error: Error | undefined;

  constructor(topic: string, range: TopicRange, onProgress: ((progress: ScanProgress) => void) | undefined) {
    this.#topic = topic;
    this.#left = new Map(range.map(({ partition, from, to }) => [partition, { next: from, to }]));
    this.#total = range.reduce((sum, { from, to }) => sum + Number(to - from), 0);
    this.#onProgress = onProgress;
  }

  /** Records that Kafka still responds. */
  heard(): void {
    this.#heardAt = performance.now();
  }

  /**
   * Returns whether a record is new. After a rebalance, the consumer begins again at the start of the log.
   */
  wants(partition: number, offset: bigint): boolean {
    const left = this.#left.get(partition);
    return left !== undefined && offset >= left.next && offset < left.to;
  }

  /** Records that every record of the partition before this offset is processed. */
  reached(partition: number, offset: bigint): void {
    this.heard();
    const left = this.#left.get(partition);
    if (!left || offset <= left.next || this.#error) return;
    const next = offset < left.to ? offset : left.to;
    this.#done += Number(next - left.next);
    left.next = next;
    if (next === left.to) this.#left.delete(partition);
    this.#onProgress?.({ done: this.#done, total: this.#total });
  }

  fail(error: Error): void {
    this.#error ??= error;
  }

  get isOver(): boolean {
    return this.#error !== undefined || this.#left.size === 0;
  }

  /** Resolves at the end of the range. @throws the read error, or the signal's reason */
  async over(signal: AbortSignal): Promise<void> {
    while (!this.isOver) {
      signal.throwIfAborted();
      if (performance.now() - this.#heardAt > SILENCE_MS)
        throw new Error(`could not read the topic ${this.#topic} to its end, because Kafka does not respond`);
      await sleep(POLL_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
    if (this.#error) throw this.#error;
  }
}
