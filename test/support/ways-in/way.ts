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
  /** Publishes every listing. It may fail with its server, and can be repeated. */
  load(): Promise<void>;
  /** What the documents ask for after a kill has interrupted the load. By default, nothing. */
  repair?(): Promise<void>;
  /** Resolves when the events of everything that is committed now are in the topic. */
  caughtUp(): Promise<void>;
  /** The part of the feed's items that must equal the database. By default, everything. */
  served?(pool: pg.Pool): Promise<(item: FeedItem) => FeedItem>;
  stop(): Promise<void>;
}

/** Prepares a database for a way, and starts the programs. */
export type StartWay = (database: SimpleDatabase, deployment: Deployment) => Promise<Way>;

/** A program in its own process. @param launch starts the process in the same way each time */
export function processPart(name: string, launch: () => ServiceProcess): Part & { stop(): Promise<void> } {
  let running = launch();
  return {
    name,
    kill: async () => void (await running.end('SIGKILL')),
    start: async () => {
      running = launch();
    },
    stop: async () => void (await running.end('SIGKILL')),
  };
}
