import { setTimeout as sleep } from 'node:timers/promises';
import { claimSlice, type Scan, type Slice, type SliceProgress, withDone } from '@vitrine/feed-index';
import type { Log } from '@vitrine/runtime/log';
import type { BuilderLease } from './builder-lease.ts';
import { retryAndLog } from './retry-and-log.ts';

const LOOK_EVERY_MS = 500;

/** A slice that this builder processes. */
export interface ClaimedSlice extends Slice {
  index: number;
}

/** One builder's part of a scan: it claims slices in the registry, while other builders claim others. */
export class SharedScan {
  readonly #lease: BuilderLease;
  readonly #log: Log;
  readonly #progress = new Map<number, SliceProgress>();
  /** Finished slices that the registry does not yet show as done. */
  readonly #unstored = new Set<number>();
  #finished = Promise.withResolvers<void>();

  constructor(lease: BuilderLease, log: Log) {
    this.#lease = lease;
    this.#log = log;
  }

  /**
   * Stores the finished slices and claims the next one, in one update. Waits while other builders process all
   * remaining slices, because a builder can be lost.
   * @param signal the caller's signal. After the caller fails, nothing may claim a slice or retry a request
   * @returns undefined when all slices are done
   * @throws GenerationError if the lease is lost; the signal's reason
   */
  async next(signal: AbortSignal): Promise<ClaimedSlice | undefined> {
    for (;;) {
      signal.throwIfAborted();
      let claimed: number | 'wait' | 'done' = 'done';
      const finished = [...this.#unstored];
      const { scan } = await this.#update((before) => {
        const scan = finished.reduce((next, index) => withDone(next, this.#lease.id, index), before);
        // The builder already holds a slice if the response to a claim was lost.
        const own = scan.slices.findIndex(
          ({ builder, done }, i) => builder === this.#lease.id && !done && !this.#progress.has(i),
        );
        const claim = own < 0 ? claimSlice(scan, this.#lease.id) : { scan, index: own };
        claimed = typeof claim === 'string' ? claim : claim.index;
        return typeof claim === 'string' ? scan : claim.scan;
      }, signal);
      for (const stored of finished) {
        this.#unstored.delete(stored);
        this.#progress.delete(stored);
      }
      const index = claimed as number | 'wait' | 'done';
      if (index === 'done') return undefined;
      if (index !== 'wait') {
        const slice = scan?.slices[index] as Slice;
        this.progressed(index, slice);
        return { ...slice, index };
      }
      if (this.#unstored.size > 0) continue;
      await Promise.race([
        sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined),
        this.#finished.promise,
      ]);
    }
  }

  /** Notes a position. The next heartbeat stores it. */
  progressed(index: number, { after, states }: SliceProgress): void {
    this.#progress.set(index, { after, states });
    this.#lease.note({ slices: this.#progress, ...this.counts() });
  }

  /**
   * Records that a slice is done. The next claim stores it. If the builder is lost before that, another one
   * continues the slice at its last stored position.
   */
  finish(index: number): void {
    this.#unstored.add(index);
    this.#finished.resolve();
    this.#finished = Promise.withResolvers();
  }

  /** The number of states that all builders have processed, as far as this builder knows, and the total. */
  counts(): { done: number; total: number } {
    const { slices = [], total = 0 } = this.#lease.record.scan ?? {};
    const done = slices.reduce((sum, { states }, i) => sum + (this.#progress.get(i)?.states ?? states), 0);
    return { done, total: Math.max(done, total) };
  }

  #update(change: (scan: Scan) => Scan, signal: AbortSignal) {
    return retryAndLog(
      () =>
        this.#lease.update((record) =>
          // Without a scan, the generation is already in a later phase.
          record.scan ? { ...record, scan: change(record.scan) } : record,
        ),
      this.#log,
      signal,
    );
  }
}
