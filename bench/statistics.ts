/** The `share` (0.5 = median) of `values` that is not above it. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.ceil(sorted.length * share), sorted.length) - 1] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** To `digits` significant digits: more would claim to be more exact than a benchmark is. */
export const rounded = (value: number, digits = 3): number => Number(value.toPrecision(digits));

/**
 * Runs the contenders in turn, A B A B, so that whatever else the machine does meets all of them.
 * @returns what each gave in each round
 */
export async function alternate<Name extends string, Result>(
  rounds: number,
  contenders: Readonly<Record<Name, (round: number) => Promise<Result>>>,
): Promise<Record<Name, Result[]>> {
  const entries = Object.entries(contenders) as [Name, (round: number) => Promise<Result>][];
  const results = Object.fromEntries(entries.map(([name]) => [name, [] as Result[]])) as Record<Name, Result[]>;
  for (let round = 0; round < rounds; round++) for (const [name, run] of entries) results[name].push(await run(round));
  return results;
}
