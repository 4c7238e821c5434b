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
  /** The age of the first unfinished record in seconds, or 0 if all records are finished. */
  seconds: number;
  /**
   * Whether the search for the record's age stopped at a limit, so that the record is older than `seconds`.
   */
  capped: boolean;
}

/** An open transaction, which hides the records in a partition from an offset to the end of the log. */
interface HeldBack extends PartitionLag {
  /** The offset of the first hidden record, as `kafka-transactions.sh abort` expects it. */
  offset: number;
}

/**
 * The lag of a group: its unfinished records in all partitions, and the age of the oldest unfinished record.
 */
export interface Lag extends Omit<PartitionLag, 'partition'> {
  /** The sum of the offsets below which all records are finished. It grows while a projector works. */
  position: number;
  partitions: PartitionLag[];
  /** The hidden records per partition and their age. The list is empty if no transaction is open. */
  openTransactions: HeldBack[];
}

/** A process that projects a generation. */
export interface GroupMember {
  clientId: string;
  host: string;
  /** The number of partitions that are assigned to the process. */
  partitions: number;
}

export interface GenerationStatus {
  number: number;
  role: Role;
  phase: Phase;
  /** The time of creation in ISO 8601. */
  createdAt: string;
  ageSeconds: number;
  origin: Origin;
  versions: Versions;
  /** The reason why the command could not read the indices. In this case, the counts and sizes are absent. */
  trouble?: string;
  /**
   * Settings, mappings and identities of the indices that differ from what Vitrine created, one message per
   * index and repair. The list is absent if there are none.
   */
  findings?: string[];
  /** The number of items at the last refresh of the index. */
  items?: number;
  states?: number;
  /** The number of hidden listings by reason. */
  hidden?: Record<string, number>;
  /** The size of the indices in bytes, including replicas. */
  sizeBytes?: { states: number; items: number; changes: number; total: number };
  /**
   * The searches of the items since their shards started, and the time for these searches in milliseconds,
   * summed over all shards. The numbers are Elasticsearch's own counters, which a node's restart resets.
   */
  searches?: { count: number; milliseconds: number };
  groupId: string;
  /** The lag. It is absent while the generation is being pruned, and if the topic does not exist. */
  lag?: Lag;
  /** Why the generation cannot continue with the events topic, if it cannot. */
  topicTrouble?: string;
  members: GroupMember[];
  verification?: VerificationResult;
}

/** One of a generation's builders, and this builder's part of the work. */
export interface BuilderStatus {
  host: string;
  pid: number;
  /** The start time in ISO 8601. */
  startedAt: string;
  seenAt: string;
  /** Whether the last heartbeat of the builder is recent. */
  alive: boolean;
  /**
   * The number of partitions that the builder reads. It is absent if the builder is not a member of the
   * group.
   */
  partitions?: number;
  /**
   * The numbers of the builder's slices, which are absent if the builder has none. `takenOver` counts the
   * slices that a lost builder began.
   */
  slices?: { done: number; inProgress: number; takenOver: number };
  /** The time (ISO 8601) at which the builder was marked as lost, and the process that marked it. */
  lost?: { at: string; host: string; pid: number };
}

export interface Running {
  generation?: number;
  phase?: Phase;
  /** The progress of all builders together in the phase. */
  done?: number;
  total?: number;
  /** Whether any builder is alive. */
  alive: boolean;
  builders: BuilderStatus[];
}

/** The runs of `verify --self` on the live generation. */
export interface SelfCheckStatus {
  /** The start of the first run in ISO 8601. */
  since: string;
  /**
   * The end of the last run that left no differences, in ISO 8601. It is absent before the first such run.
   */
  succeededAt?: string;
  /** The last run that has ended, if there is one. */
  last?: SelfCheckRun;
}

/** The output of `status`, which `--json` prints unchanged. */
export interface Status {
  /** What needs attention, the worst first. The list is empty if nothing does. */
  health: HealthProblem[];
  prefix: string;
  topic: string;
  /** The id that Kafka gave the topic, if the topic exists. */
  topicId?: string;
  generations: GenerationStatus[];
  /** The reasons that the rules module declares, each with its text. They are absent without a module. */
  reasons?: Readonly<Record<string, string>>;
  /** How this process's rules module differs from that of the live generation, if it does. */
  otherModule?: string;
  /**
   * The sum of the end offsets of the events topic. Its increase is the number of new events. It is 0 without
   * a topic.
   */
  events: { end: number };
  /**
   * The number of records in the topic, including repeated dead letters and the marks of retried dead
   * letters.
   */
  deadLetters: { topic: string; records: number };
  running?: Running;
  /** The self-checks, which are absent until the first run of `verify --self`. */
  selfCheck?: SelfCheckStatus;
  /** The last complete run of `reconcile`. It is absent before the first one. */
  reconciliation?: ReconciliationRecord;
  /** The changes, if the live generation has a changes index. */
  changes?: ChangesStatus;
  keptChanges: KeptChangesStatus[];
  /** Indices with the deployment's prefix that belong to no generation. */
  orphanedIndices: string[];
}
