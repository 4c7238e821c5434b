import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';

const FILE = join(import.meta.dirname, 'results.json');

/** Keeps one benchmark's result under its name in `bench/results.json`, and leaves the others there as they are. */
export async function keepResult(name: string, result: object): Promise<void> {
  const machine = { cores: availableParallelism(), memoryGb: Math.round(totalmem() / 2 ** 30), node: process.version };
  const kept = await readFile(FILE, 'utf8').then(
    (text) => JSON.parse(text) as Record<string, unknown>,
    () => ({}),
  );
  const all = { ...kept, [name]: { at: new Date().toISOString(), machine, ...result } };
  await writeFile(FILE, `${JSON.stringify(all, null, 2)}\n`);
}

/** The `share` (0.5 = median) of `values` that is not above it. */
export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.ceil(sorted.length * share), sorted.length) - 1] ?? Number.NaN;
}
