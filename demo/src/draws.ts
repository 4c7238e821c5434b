import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** Chances that repeat themselves: the same seed and the same questions give the same answers. */
export class Draws {
  readonly #generator;

  constructor(seed: number) {
    this.#generator = xoroshiro128plus(seed);
  }

  /** A whole number from `low` to `high`, both included. */
  integer(low: number, high: number): number {
    return uniformInt(this.#generator, low, high);
  }

  /** From 0 (included) to 1 (excluded). */
  fraction(): number {
    return uniformFloat64(this.#generator);
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** One of them, each as likely as the others. */
  pick<T>(choices: readonly [T, ...T[]]): T;
  pick<T>(choices: readonly T[]): T | undefined;
  pick<T>(choices: readonly T[]): T | undefined {
    return choices[this.integer(0, choices.length - 1)];
  }

  /** One of them, each as likely as its weight. */
  weighted<T extends { weight: number }>(choices: readonly [T, ...T[]]): T {
    let left = this.fraction() * choices.reduce((sum, { weight }) => sum + weight, 0);
    for (const choice of choices) {
      left -= choice.weight;
      if (left < 0) return choice;
    }
    return choices[0];
  }
}
