import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rounded } from './statistics.ts';

const FILE = 'results.json';

/** The figure of a peer, in the unit of its row. */
export interface Peer {
  name: string;
  figure: number;
}

/** One line of the table: our figure, the peer's figure from the same run, and their ratio. */
export interface Row {
  measure: string;
  /** Unit of both figures. */
  unit:
    | 'requests/s'
    | 'ms'
    | 'CPU ms'
    | 'events/s'
    | 'lines/s'
    | 'listings/s'
    | 'MB'
    | 'bytes'
    | 'CPU µs'
    | 'CPU s'
    | 'tokens'
    | 'calls'
    | 'answers'
    | 'points'
    | 's'
    | '%';
  ours: number;
  /** The peer; absent if the target is a figure instead of a ratio. */
  peer?: Peer;
  /** Our figure divided by the peer's figure, or the inverse if the target refers to the inverse. */
  ratio?: number;
  /** The bound of the ratio, or of our figure if there is no ratio. */
  target?: { atLeast: number } | { atMost: number };
  /** Another peer from the same run, with its ratio. This ratio has no target. */
  second?: Peer & { ratio: number };
  note?: string;
}

export interface PartResult {
  /** Only a complete part has all its rows. For any other part, `reason` explains why it ended early. */
  status: 'complete' | 'partial' | 'failed';
  reason?: string;
  rows: Row[];
  /** All measurements behind the rows. */
  figures: object;
  /** Rows that this machine cannot measure, with the reasons. */
  notRun?: string[];
}

/** A part's result as stored, with date, commit, machine and versions. */
export interface StoredResult extends PartResult {
  at: string;
  commit: string;
  machine: { cores: number; model: string; memoryGb: number };
  versions: Record<string, string>;
  items: number;
}

export type Results = Record<string, StoredResult>;

/** Makes a row with the ratio of our figure to the peer's figure. */
export const compared = (
  measure: string,
  unit: Row['unit'],
  ours: number,
  peer: Peer,
  more: Partial<Row> = {},
): Row => ({ measure, unit, ours, peer, ratio: rounded(ours / peer.figure), ...more });

/** Whether a row reached its target; undefined if the row has no target. */
export function isMet({ ratio, ours, target }: Row): boolean | undefined {
  if (target === undefined) return undefined;
  const value = ratio ?? ours;
  return 'atLeast' in target ? value >= target.atLeast : value <= target.atMost;
}

/** The results stored in a folder; empty if the folder has no results. */
export async function readResults(folder: string): Promise<Results> {
  return readFile(join(folder, FILE), 'utf8').then(
    (text) => JSON.parse(text) as Results,
    () => ({}),
  );
}

/** Replaces the result of one part in the folder's `results.json`. */
export async function storeResult(
  folder: string,
  part: string,
  result: PartResult,
  circumstances: Pick<StoredResult, 'versions' | 'items'>,
): Promise<void> {
  const machine = {
    cores: availableParallelism(),
    model: cpus()[0]?.model ?? 'unknown',
    memoryGb: Math.round(totalmem() / 2 ** 30),
  };
  const stored: StoredResult = {
    at: new Date().toISOString(),
    commit: await commit(),
    machine,
    ...circumstances,
    ...result,
  };
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, FILE),
    `${JSON.stringify({ ...(await readResults(folder)), [part]: stored }, null, 2)}\n`,
  );
}

async function commit(): Promise<string> {
  const { stdout } = await promisify(execFile)('git', ['describe', '--always', '--dirty'], {
    cwd: import.meta.dirname,
  }).catch(() => ({
    stdout: 'unknown',
  }));
  return stdout.trim();
}
