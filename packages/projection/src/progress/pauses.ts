/** The intentionally paused partitions, with the reasons. A pause does not count as a stall. */
export class Pauses {
  readonly #reasons = new Map<number, string>();

  /** Marks a partition as paused. @returns false if the partition was already paused */
  begin(partition: number, reason: string): boolean {
    const isNew = !this.#reasons.has(partition);
    this.#reasons.set(partition, reason);
    return isNew;
  }

  /** Ends the pause of a partition. @returns whether the partition was paused */
  end(partition: number): boolean {
    return this.#reasons.delete(partition);
  }

  /**
   * Whether any partition is paused. During a pause, all partitions wait, because the consumer fetches
   * nothing.
   */
  any(): boolean {
    return this.#reasons.size > 0;
  }

  get count(): number {
    return this.#reasons.size;
  }

  reasons(): string[] {
    return [...this.#reasons].map(([partition, reason]) => `partition ${partition} is paused: ${reason}`);
  }
}
