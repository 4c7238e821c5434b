import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { SimpleDatabase } from '../database/simple-database.ts';
import type { Deployment } from '../deployment.ts';
import type { FeedItem } from '../equality/database-items.ts';
import type { ServiceProcess } from '../service-process.ts';

/** A program that a test kills with SIGKILL and starts again. */
export interface Part {
  name: string;
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** The programs between a database and the events topic. */
export interface Way {
  parts: readonly Part[];
  /** Publishes every listing. The load may fail with its server, and can be repeated. */
  load(): Promise<void>;
  /** Does what the documentation requires after a kill has interrupted the load. By default, nothing. */
  repair?(): Promise<void>;
  /** Resolves when the events of everything that is committed now are in the topic. */
  caughtUp(withinMs?: number): Promise<void>;
  /** The part of the feed's items that must equal the database. By default, everything. */
  served?(pool: pg.Pool): Promise<(item: FeedItem) => FeedItem>;
  stop(): Promise<void>;
}

/** Prepares a database for a way, and starts the programs. */
export type StartWay = (database: SimpleDatabase, deployment: Deployment) => Promise<Way>;

const RESTART_AFTER_MS = 1_000;
const REPORTED_CHARACTERS = 4_000;

/**
 * A program in its own process. A program that ends by itself starts again, as under a supervisor. Its exit code
 * and last output are printed.
 * @param launch starts the process in the same way each time
 */
export function processPart(name: string, launch: () => ServiceProcess): Part & { stop(): Promise<void> } {
  let running: ServiceProcess;
  let isWanted = false;
  const start = async () => {
    isWanted = true;
    running = launch();
    void superviseEnd(running);
  };
  const superviseEnd = async (watched: ServiceProcess) => {
    const code = await watched.exited;
    if (!isWanted) return;
    const end = watched.log().slice(-REPORTED_CHARACTERS);
    process.stderr.write(
      `# ${name} ended with exit code ${code} and starts again. Its last output:\n${end}\n`,
    );
    await sleep(RESTART_AFTER_MS);
    if (isWanted && watched === running) await start();
  };
  const kill = async () => {
    isWanted = false;
    await running.end('SIGKILL');
  };
  void start();
  return { name, kill, start, stop: kill };
}
