import type { Origin, Phase, VerificationResult, Versions } from '@vitrine/feed-index';
import type { Role } from '@vitrine/projection/generations';

interface PartitionLag {
  partition: number;
  records: number;
  /** Age of the first unfinished record, in seconds; 0 if all records are finished. */
  seconds: number;
  /** Whether the record is older than the limit of the search for its age. */
  capped: boolean;
}

/**
 * The lag of a group: its unfinished records in all partitions, and the age of the oldest unfinished record.
 */
export interface Lag extends Omit<PartitionLag, 'partition'> {
  partitions: PartitionLag[];
}

/** A process that projects a generation. */
export interface GroupMember {
  clientId: string;
  host: string;
  /** Number of partitions that are assigned to the process. */
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
  /** The reason why the command could not read the indices. If present, counts and sizes are absent. */
  trouble?: string;
  /** Number of items at the last refresh of the index. */
  items?: number;
  states?: number;
  /** Number of hidden listings by reason. */
  hidden?: Record<string, number>;
  /** Size of both indices, including replicas. */
  sizeBytes?: { states: number; items: number; total: number };
  groupId: string;
  /** Absent during the deletion of the group. */
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
  /** Whether the last heartbeat of the builder is recent. */
  alive: boolean;
}

/** The output of `status`, which `--json` prints unchanged. */
export interface Status {
  prefix: string;
  topic: string;
  generations: GenerationStatus[];
  /**
   * Number of records in the topic, including repeated dead letters and the marks of retried dead letters.
   */
  deadLetters: { topic: string; records: number };
  running?: Running;
  /** Indices with the deployment's prefix that belong to no generation. */
  orphanedIndices: string[];
}
