import type { ChangesHistory, LiveChanges, Registry } from '@vitrine/feed-index';
import type { ActionOf } from './action.ts';

/** The number of the topic's records that each part of a generation contains. */
export interface Content {
  /** The number of records that the consumer group has committed. */
  committed: number;
  states: number;
  items: number;
}

/** A builder in the consumer group of a generation. */
export interface Member {
  generation: number;
  folds: boolean;
  /**
   * Whether the phase was `folding` when this member read it. It is absent until then, and if the member does
   * not fold.
   */
  isConfirmed?: boolean;
  /** The member has written the records up to this one, but has not committed them yet. */
  written?: number;
}

/** What the builders see besides the registry. */
interface BuildWorld {
  /** The number of records in the topic. */
  log: number;
  eventsPerListing: number;
  content: Record<number, Content>;
  members: Record<string, Member>;
  /** The write aliases of the builders, by generation. */
  writers: Record<number, string[]>;
  /** The number of write-alias names so far. */
  named: number;
  /** The generation of each process that became a builder. */
  builds: Record<string, number>;
  /** The processes that were killed. */
  dead: string[];
  /** What must never happen, and has happened. */
  broken?: string;
}

/** No builder has worked yet. */
export const NO_BUILDS: BuildWorld = {
  log: 1,
  eventsPerListing: 1,
  content: {},
  members: {},
  writers: {},
  named: 0,
  builds: {},
  dead: [],
};

/** What Elasticsearch and Kafka store, as far as the machine can see it. */
export interface World extends BuildWorld {
  /** The current time in epoch milliseconds. */
  now: number;
  registry: Registry;
  live?: number;
  previous?: number;
  lostStates?: true;
  epoch?: LiveChanges;
  history: ChangesHistory;
  /** `items N` stands for the states and the items of a generation, `changes N` for its changes. */
  indices: string[];
  groups: number[];
  /** The generations whose items no process can write or make live. */
  closed: number[];
  /** The epochs whose entries were lifted. */
  lifted: number[];
  /** By how many records generations are behind the topic. */
  behind?: Record<number, number>;
  /** A request that the engine has not processed yet, although its client has given up. */
  late?: ActionOf<'moveAliases'> | ActionOf<'writeSlices'>;
}
