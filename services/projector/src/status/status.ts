import type { Certificate, Origin, Phase, Versions } from '../generations/generation-record.ts';

/** What a generation is to readers and operators; `unfinished` = being built, but nobody is at it. */
export type Role = 'live' | 'former' | 'ready' | 'building' | 'unfinished' | 'pruning';

interface PartitionLag {
  partition: number;
  records: number;
  /** Age of the first record that is not finished; 0 when all are. */
  seconds: number;
  /** That record is older than anybody looked. */
  capped: boolean;
}

/** How far a group is behind its topic: all records together, and the oldest of all partitions. */
export interface Lag extends Omit<PartitionLag, 'partition'> {
  partitions: PartitionLag[];
}

/** A process that feeds a generation. */
export interface GroupMember {
  clientId: string;
  host: string;
  /** How many partitions it has. */
  partitions: number;
}

export interface GenerationStatus {
  number: number;
  role: Role;
  phase: Phase;
  /** ISO 8601. */
  createdAt: string;
  ageSeconds: number;
  origin: Origin;
  versions: Versions;
  /** Why its indices cannot be looked at; counts and sizes are then absent. */
  trouble?: string;
  /** As of the indices' last refresh. */
  items?: number;
  states?: number;
  /** Listings that are in no feed, by the reason. */
  hidden?: Record<string, number>;
  /** Of both indices with their replicas. */
  sizeBytes?: { states: number; items: number; total: number };
  groupId: string;
  /** Absent while its group goes. */
  lag?: Lag;
  fedBy: GroupMember[];
  certificate?: Certificate;
}

/** Who builds a generation, and how far that is. */
export interface Running {
  generation?: number;
  host: string;
  pid: number;
  phase?: Phase;
  done?: number;
  total?: number;
  /** ISO 8601. */
  startedAt: string;
  seenAt: string;
  /** It still gives signs of life. */
  alive: boolean;
}

/** What `status` shows, and prints as JSON. */
export interface Status {
  prefix: string;
  topic: string;
  generations: GenerationStatus[];
  /** Records of the topic: letters, repeated ones and marks of retried ones among them. */
  deadLetters: { topic: string; records: number };
  running?: Running;
  /** Indices under our names that belong to no generation. */
  strangers: string[];
}
