import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { compareIds } from './compare-ids.ts';
import { LineFile, readLineFile } from './line-file.ts';

/** A record with its id first. The record must be JSON. */
export type SortedRecord = readonly [id: string, ...rest: unknown[]];

const RUN_CHARACTERS = 8 * 1024 * 1024;
/** Each open run has one chunk in memory. */
const MAX_OPEN_RUNS = 32;
const PAGE_RECORDS = 1_000;

/**
 * Sorts records by id in files with an external merge sort, so that memory does not grow with the number of
 * records. Records with equal ids have no defined order.
 */
export class SortedRecords<R extends SortedRecord> {
  readonly #folder: string;
  readonly #name: string;
  readonly #runCharacters: number;
  #runs: string[] = [];
  #created = 0;
  #pending: [id: string, line: string][] = [];
  #characters = 0;

  /**
   * @param folder an existing folder, which the caller deletes
   * @param name the beginning of the file names
   */
  constructor(folder: string, name: string, runCharacters = RUN_CHARACTERS) {
    this.#folder = folder;
    this.#name = name;
    this.#runCharacters = runCharacters;
  }

  /** Adds records. @throws file system errors */
  async add(records: Iterable<R>): Promise<void> {
    for (const record of records) {
      const line = JSON.stringify(record);
      this.#pending.push([record[0], line]);
      this.#characters += line.length;
    }
    if (this.#characters >= this.#runCharacters) await this.#spill();
  }

  /**
   * Reads all records by ascending id, in pages. The caller must call this only once.
   * @throws file system errors
   */
  async *pages(): AsyncGenerator<R[]> {
    await this.#spill();
    while (this.#runs.length > MAX_OPEN_RUNS) {
      const file = await this.#newRun();
      const merged = this.#runs.splice(0, MAX_OPEN_RUNS);
      for await (const page of mergeRuns<R>(merged)) {
        for (const record of page) file.add(record);
        await file.drain();
      }
      await file.close();
      this.#runs.push(file.path);
      for (const path of merged) await rm(path);
    }
    yield* mergeRuns<R>(this.#runs);
  }

  #newRun(): Promise<LineFile> {
    return LineFile.create(join(this.#folder, `${this.#name}-${this.#created++}`));
  }

  async #spill(): Promise<void> {
    if (this.#pending.length === 0) return;
    const sorted = this.#pending.sort(([a], [b]) => compareIds(a, b));
    this.#pending = [];
    this.#characters = 0;
    const file = await this.#newRun();
    for (const [, line] of sorted) {
      file.addText(line);
      await file.drain();
    }
    await file.close();
    this.#runs.push(file.path);
  }
}

interface Run<R> {
  pages: AsyncIterator<R[]>;
  page: R[];
  at: number;
}

async function* mergeRuns<R extends SortedRecord>(paths: readonly string[]): AsyncGenerator<R[]> {
  const runs: Run<R>[] = [];
  for (const path of paths) {
    const run: Run<R> = { pages: readLineFile<R>(path), page: [], at: 0 };
    if (await fill(run)) runs.push(run);
  }
  try {
    let out: R[] = [];
    while (runs.length > 0) {
      const next = lowest(runs);
      out.push(next.page[next.at++] as R);
      if (next.at === next.page.length && !(await fill(next))) runs.splice(runs.indexOf(next), 1);
      if (out.length < PAGE_RECORDS) continue;
      yield out;
      out = [];
    }
    if (out.length > 0) yield out;
  } finally {
    for (const { pages } of runs) await pages.return?.();
  }
}

function lowest<R extends SortedRecord>(runs: readonly Run<R>[]): Run<R> {
  let best = runs[0] as Run<R>;
  for (const run of runs) if (compareIds(headOf(run), headOf(best)) < 0) best = run;
  return best;
}

const headOf = <R extends SortedRecord>({ page, at }: Run<R>): string => (page[at] as R)[0];

/** Loads the next records of a run. @returns false at its end */
async function fill<R>(run: Run<R>): Promise<boolean> {
  do {
    const { done, value } = await run.pages.next();
    if (done) return false;
    run.page = value;
    run.at = 0;
  } while (run.page.length === 0);
  return true;
}
