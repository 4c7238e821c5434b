/** Which partitions are held back on purpose, and why: what tells a pause from a stall. */
export class Pauses {
  readonly #reasons = new Map<number, string>();

  /** Declares a partition paused; true when it was not already. */
  begin(partition: number, reason: string): boolean {
    const isNew = !this.#reasons.has(partition);
    this.#reasons.set(partition, reason);
    return isNew;
  }

  /** True when it was paused. */
  end(partition: number): boolean {
    return this.#reasons.delete(partition);
  }

  /** Whether any partition is held: the others then wait behind it, since nothing is fetched meanwhile. */
  any(): boolean {
    return this.#reasons.size > 0;
  }

  /** How many are held. */
  get count(): number {
    return this.#reasons.size;
  }

  /** One sentence a paused partition. */
  reasons(): string[] {
    return [...this.#reasons].map(([partition, reason]) => `partition ${partition} is paused: ${reason}`);
  }
}
