import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type ServiceProcess, startProgram } from './service-process.ts';

const FOLDER = join(import.meta.dirname, '../../docs/start');
const BUSY_TIMEOUT_MS = 10_000;

/** The published followers. */
export const FOLLOWERS = ['follow.ts', 'follow.py'] as const;
type Follower = (typeof FOLLOWERS)[number];

/** Whether this machine can run the follower. */
export const canRun = (follower: Follower): boolean =>
  follower === 'follow.ts' || spawnSync('python3', ['-c', 'import sqlite3']).status === 0;

/** A follower of docs/start, with its copy of all listings in a SQLite file. */
export class FollowerProgram {
  readonly #follower: Follower;
  readonly #base: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'vitrine-follower-'));
  #process: ServiceProcess | undefined;
  #isKilled = false;

  /** @param base absolute URL of the base path */
  constructor(follower: Follower, base: string) {
    this.#follower = follower;
    this.#base = base;
  }

  get #file(): string {
    return join(this.#folder, 'listings.db');
  }

  start(): void {
    const args = [join(FOLDER, this.#follower), this.#base, this.#file];
    const command = this.#follower === 'follow.ts' ? process.execPath : 'python3';
    this.#process = startProgram(command, args, {});
    this.#isKilled = false;
  }

  /** Kills the program at once. */
  async kill(): Promise<void> {
    this.#isKilled = true;
    await this.#process?.end('SIGKILL');
  }

  /**
   * The exit code or signal with which the program ended by itself. Undefined if it is running or was killed.
   */
  ending(): number | NodeJS.Signals | undefined {
    if (this.#isKilled) return undefined;
    const { exitCode, signalCode } = this.#process?.child ?? {};
    return exitCode ?? signalCode ?? undefined;
  }

  /** The end of the program's output. */
  log(): string {
    return this.#process?.log() ?? '';
  }

  /** The copy: each listing's JSON by id. The copy is empty until the program has created it. */
  copy(): Map<string, string> {
    const rows = this.#read('SELECT id, data FROM listings') as { id: string; data: string }[];
    return new Map(rows.map(({ id, data }) => [id, data]));
  }

  /** The URL of the next page. Undefined before the export is complete. */
  next(): string | undefined {
    const [place] = this.#read('SELECT next FROM place WHERE exported = 1') as { next: string }[];
    return place?.next;
  }

  /** The change number after which the next page begins. @throws Error before the export is complete */
  position(): number {
    const url = this.next();
    if (url === undefined) throw new Error(`the export is not complete: ${this.log()}`);
    return Number(new URL(url).searchParams.get('afterChangeNumber'));
  }

  /** The number of the current run. It is above 1 if the program has started over. */
  run(): number {
    const [place] = this.#read('SELECT run FROM place') as { run: number }[];
    return place?.run ?? 0;
  }

  async close(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true });
  }

  #read(query: string): unknown[] {
    if (!existsSync(this.#file)) return [];
    const db = new DatabaseSync(this.#file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    try {
      const exists = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'place'").get();
      return exists ? db.prepare(query).all() : [];
    } finally {
      db.close();
    }
  }
}
