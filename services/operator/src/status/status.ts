import type { Origin, Phase, VerificationResult, Versions } from '@vitrine/feed-index';
import type { Role } from '@vitrine/projection/generations';

interface PartitionLag {
  partition: number;
  records: number;
  /** Age of the first unfinished record. 0 = all are finished. */
  seconds: number;
  /** The record is older than the limit of the search. */
  capped: boolean;
}

/** The lag of a group: records of all partitions, and the oldest unfinished record. */
export interface Lag extends Omit<PartitionLag, 'partition'> {
  partitions: PartitionLag[];
}

/** A process that projects a generation. */
export interface GroupMember {
  clientId: string;
  host: string;
  /** Number of its partitions. */
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
  /** The reason why its indices cannot be read. Counts and sizes are then absent. */
  trouble?: string;
  /** As of the indices' last refresh. */
  items?: number;
  states?: number;
  /** Number of hidden listings by reason. */
  hidden?: Record<string, number>;
  /** Size of both indices, including replicas. */
  sizeBytes?: { states: number; items: number; total: number };
  groupId: string;
  /** Absent while its group is being deleted. */
  lag?: Lag;
  members: GroupMember[];
  verification?: VerificationResult;
}

/** The builder of a generation, and its progress. */
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
  /** Its last heartbeat is recent. */
  alive: boolean;
}

/** The output of `status`, also as JSON. */
export interface Status {
  prefix: string;
  topic: string;
  generations: GenerationStatus[];
  /** Number of records in the topic, including repeated dead letters and the marks of retried ones. */
  deadLetters: { topic: string; records: number };
  running?: Running;
  /** Indices under the prefix that belong to no generation. */
  orphanedIndices: string[];
}
