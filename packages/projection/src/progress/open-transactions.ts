import type { HeldBack } from './partition-positions.ts';

/** An open transaction, which holds back its own records and all later records of the partition. */
export interface OpenTransaction extends HeldBack {
  /**
   * The time at which this process first saw the transaction, in epoch milliseconds. The timestamps of its
   * records may be older.
   */
  since: number;
  isReported: boolean;
}

/** Remembers how long each partition has waited for the same open transaction. Pure. */
export class OpenTransactions {
  readonly #reportAfter: number;
  #open: OpenTransaction[] = [];

  /** @param reportAfter the shortest duration to report, in milliseconds. Shorter transactions are normal. */
  constructor(reportAfter: number) {
    this.#reportAfter = reportAfter;
  }

  /**
   * Processes a poll of the log's offsets.
   * @returns the transactions to report now, and the reported ones that have ended
   */
  observe(now: number, heldBack: readonly HeldBack[]): { long: OpenTransaction[]; ended: OpenTransaction[] } {
    const before = this.#open;
    const isSame = (one: HeldBack) => (other: HeldBack) =>
      one.partition === other.partition && one.offset === other.offset;
    this.#open = heldBack.map((one) => {
      const { since = now, isReported = false } = before.find(isSame(one)) ?? {};
      return { ...one, since, isReported };
    });
    const long = this.#open.filter(
      ({ since, isReported }) => !isReported && now - since >= this.#reportAfter,
    );
    for (const one of long) one.isReported = true;
    return { long, ended: before.filter((one) => one.isReported && !this.#open.some(isSame(one))) };
  }

  all(): readonly OpenTransaction[] {
    return this.#open;
  }
}
