import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const FILE = join(import.meta.dirname, 'results.json');

/** One line of the table: our figure, the peer's of the same run, and how they compare. */
export interface Row {
  measure: string;
  /** What both figures are. */
  unit: 'requests/s' | 'ms' | 'CPU ms' | 'events/s' | 'listings/s' | 'MB' | 'bytes' | 'CPU µs' | '%';
  ours: number;
  /** Absent where the target is a figure and no ratio. */
  peer?: { name: string; figure: number };
  /** Ours by the peer's, or the other way round where that is what the target is about. */
  ratio?: number;
  /** What the ratio, or our figure where there is none, must be. */
  target?: { atLeast: number } | { atMost: number };
  note?: string;
}

/** What a part of the benchmark found. */
export interface PartResult {
  rows: Row[];
  /** Everything that was measured on the way. */
  figures: object;
  /** Rows that could not be had, and why. */
  notRun?: string[];
}

/** A part's result as it is kept: with when, where and on what it was measured. */
export interface KeptResult extends PartResult {
  at: string;
  commit: string;
  machine: { cores: number; model: string; memoryGb: number };
  versions: Record<string, string>;
  items: number;
}

export type Results = Record<string, KeptResult>;

/** Whether a row reached its target; undefined where it has none. */
export function isMet({ ratio, ours, target }: Row): boolean | undefined {
  if (target === undefined) return undefined;
  const value = ratio ?? ours;
  return 'atLeast' in target ? value >= target.atLeast : value <= target.atMost;
}

export async function readResults(): Promise<Results> {
  return readFile(FILE, 'utf8').then(
    (text) => JSON.parse(text) as Results,
    () => ({}),
  );
}

/** Keeps the result of a part under its name in `bench/results.json`, and leaves the others there as they are. */
export async function keepResult(part: string, result: PartResult, circumstances: Pick<KeptResult, 'versions' | 'items'>): Promise<void> {
  const machine = { cores: availableParallelism(), model: cpus()[0]?.model ?? 'unknown', memoryGb: Math.round(totalmem() / 2 ** 30) };
  const kept: KeptResult = { at: new Date().toISOString(), commit: await commit(), machine, ...circumstances, ...result };
  await writeFile(FILE, `${JSON.stringify({ ...(await readResults()), [part]: kept }, null, 2)}\n`);
}

async function commit(): Promise<string> {
  const { stdout } = await promisify(execFile)('git', ['describe', '--always', '--dirty'], { cwd: import.meta.dirname }).catch(() => ({
    stdout: 'unknown',
  }));
  return stdout.trim();
}
