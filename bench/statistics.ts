/**
 * Returns a quantile: the smallest value such that at least this share of the values is not greater. With a
 * share of 0.5, this is the median.
 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.ceil(sorted.length * share), sorted.length) - 1] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Rounds to significant digits. More than three would overstate the precision of a benchmark. */
export const rounded = (value: number, digits = 3): number => Number(value.toPrecision(digits));

/** The median of one figure over the rounds, rounded. */
export const medianOf = <Figure extends string>(
  rounds: readonly Readonly<Record<Figure, number>>[],
  figure: Figure,
): number => rounded(median(rounds.map((round) => round[figure])));

/** The median of one figure's ratios in the rounds, rounded. */
export const medianRatio = <Figure extends string>(
  ours: readonly Readonly<Record<Figure, number>>[],
  peers: readonly Readonly<Record<Figure, number>>[],
  figure: Figure,
): number =>
  rounded(median(ours.map((each, round) => each[figure] / (peers[round] as Record<Figure, number>)[figure])));

/** The quantiles of values in milliseconds, as whole numbers. */
export const percentiles = (ms: readonly number[]): { p50: number; p95: number; p99: number } => ({
  p50: Math.round(quantile(ms, 0.5)),
  p95: Math.round(quantile(ms, 0.95)),
  p99: Math.round(quantile(ms, 0.99)),
});

/**
 * Runs the subjects in turn, so that other load on the machine affects all of them. Each round begins with
 * another subject, so that no subject always follows the same one.
 * @returns each subject's results, by round
 */
export async function alternate<Name extends string, Result>(
  rounds: number,
  subjects: Readonly<Record<Name, (round: number) => Promise<Result>>>,
): Promise<Record<Name, Result[]>> {
  const entries = Object.entries(subjects) as [Name, (round: number) => Promise<Result>][];
  const results = Object.fromEntries(entries.map(([name]) => [name, [] as Result[]])) as Record<
    Name,
    Result[]
  >;
  for (let round = 0; round < rounds; round++) {
    const first = round % entries.length;
    for (const [name, run] of [...entries.slice(first), ...entries.slice(0, first)])
      results[name].push(await run(round));
  }
  return results;
}
