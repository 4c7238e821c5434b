import type {
  Origin,
  Phase,
  ReconciliationRecord,
  SelfCheckRun,
  VerificationResult,
  Versions,
} from '@vitrine/feed-index';
import type { Role } from '@vitrine/projection/generations';
import type { ChangesStatus, KeptChangesStatus } from './changes-status.ts';
import type { HealthProblem } from './health-problem.ts';

interface PartitionLag {
  partition: number;
  records: number;
  /** Age of the first unfinished record, in seconds; 0 if all records are finished. */
  seconds: number;
  /** Whether the search for its age stopped at a limit, so that the record is older than `seconds`. */
  capped: boolean;
}

/** An open transaction, which hides the records of a partition from an offset to the end of the log. */
interface HeldBack extends PartitionLag {
  /** Offset of the first hidden record, as `kafka-transactions.sh abort` expects it. */
  offset: number;
}

/**
 * The lag of a group: its unfinished records in all partitions, and the age of the oldest unfinished record.
 */
export interface Lag extends Omit<PartitionLag, 'partition'> {
  /** Sum of the offsets below which all records are finished. It grows while a projector works. */
  position: number;
  partitions: PartitionLag[];
  /** The hidden records per partition and their age. Empty if no transaction is open. */
  openTransactions: HeldBack[];
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
  /**
   * Settings, mappings and identities of the indices that differ from what Vitrine created, one message per
   * index and repair. Absent if there are none.
   */
  findings?: string[];
  /** Number of items at the last refresh of the index. */
  items?: number;
  states?: number;
  /** Number of hidden listings by reason. */
  hidden?: Record<string, number>;
  /** Size of the indices in bytes, including replicas. */
  sizeBytes?: { states: number; items: number; changes: number; total: number };
  /**
   * Searches of the items since the start of their shards, and the time of these searches in milliseconds, summed
   * over all shards. Elasticsearch's own counters, which a restart of a node resets.
   */
  searches?: { count: number; milliseconds: number };
  groupId: string;
  /** Absent during the deletion of the group, and if the topic does not exist. */
  lag?: Lag;
  /** Why the generation cannot continue with the events topic. Absent if it can. */
  topicTrouble?: string;
  members: GroupMember[];
  verification?: VerificationResult;
}

/** One of the builders of a generation, and its part of the work. */
export interface BuilderStatus {
  host: string;
  pid: number;
  /** ISO 8601. */
  startedAt: string;
  seenAt: string;
  /** Whether the last heartbeat of the builder is recent. */
  alive: boolean;
  /** Number of partitions that it reads. Absent if it is not a member of the group. */
  partitions?: number;
  /** Number of its slices of the states. `takenOver`: those that a lost builder began. Absent without any. */
  slices?: { done: number; inProgress: number; takenOver: number };
  /** Time (ISO 8601) and process that marked it as lost. */
  lost?: { at: string; host: string; pid: number };
}

export interface Running {
  generation?: number;
  phase?: Phase;
  /** Progress of the phase, of all builders together. */
  done?: number;
  total?: number;
  /** Whether any builder is alive. */
  alive: boolean;
  builders: BuilderStatus[];
}

/** The runs of `verify --self` on the live generation. */
export interface SelfCheckStatus {
  /** Start of the first run, ISO 8601. */
  since: string;
  /** End of the last run that left no differences, ISO 8601. Absent before the first such run. */
  succeededAt?: string;
  /** Absent if no run has ended. */
  last?: SelfCheckRun;
}

/** The output of `status`, which `--json` prints unchanged. */
export interface Status {
  /** What needs attention, the worst first. Empty if nothing does. */
  health: HealthProblem[];
  prefix: string;
  topic: string;
  /** The id that Kafka gave the topic. Absent if the topic does not exist. */
  topicId?: string;
  generations: GenerationStatus[];
  /** The reasons of the rules module, each with its text. Absent without a module. */
  reasons?: Readonly<Record<string, string>>;
  /** How the rules module of this process differs from that of the live generation. Absent if it does not. */
  otherModule?: string;
  /** Sum of the end offsets of the events topic. Its increase is the number of new events. 0 without a topic. */
  events: { end: number };
  /**
   * Number of records in the topic, including repeated dead letters and the marks of retried dead letters.
   */
  deadLetters: { topic: string; records: number };
  running?: Running;
  /** Absent until the first run of `verify --self`. */
  selfCheck?: SelfCheckStatus;
  /** The last complete run of `reconcile`. Absent before the first one. */
  reconciliation?: ReconciliationRecord;
  /** Absent if the live generation has no changes index. */
  changes?: ChangesStatus;
  keptChanges: KeptChangesStatus[];
  /** Indices with the deployment's prefix that belong to no generation. */
  orphanedIndices: string[];
}
