/** The JSON of the command line, as far as the console shows it (docs/reference/cli.md). */
interface Lag {
  records: number;
  seconds: number;
  capped: boolean;
  partitions: { partition: number; records: number; seconds: number }[];
}

export interface Verification {
  against: number;
  at: string;
  compared: number;
  explained: number;
  unexplained: number;
}

export interface GenerationStatus {
  number: number;
  role: string;
  phase: string;
  createdAt: string;
  ageSeconds: number;
  origin: { from: 'topic' } | { from: 'states'; of: number };
  versions: Record<string, unknown>;
  trouble?: string;
  items?: number;
  states?: number;
  hidden?: Record<string, number>;
  sizeBytes?: { states: number; items: number; changes: number; total: number };
  groupId: string;
  topicTrouble?: string;
  lag?: Lag;
  members: { clientId: string; host: string; partitions: number }[];
  verification?: Verification;
}

interface BuilderStatus {
  host: string;
  pid: number;
  startedAt: string;
  seenAt: string;
  alive: boolean;
  partitions?: number;
  slices?: { done: number; inProgress: number; takenOver: number };
  lost?: { at: string };
}

export interface Status {
  prefix: string;
  topic: string;
  generations: GenerationStatus[];
  events: { end: number };
  deadLetters: { topic: string; records: number };
  running?: {
    generation?: number;
    phase?: string;
    done?: number;
    total?: number;
    alive: boolean;
    builders: BuilderStatus[];
  };
  changes?: { epoch: number; generation: number; lastChange?: number; since: string; trouble?: string };
  keptChanges: { generation: number; until: string }[];
  orphanedIndices: string[];
}

export interface Sample {
  at: number;
  live?: number;
  end: number;
  searches?: { count: number; milliseconds: number };
  generations: { number: number; records?: number; seconds?: number; items?: number }[];
  running?: { phase?: string; done?: number; total?: number };
}

export interface JobProgress {
  label: string;
  done: number;
  total: number;
  rate?: number;
  secondsLeft?: number;
}

export interface Job {
  id: number;
  action: string;
  arguments: Record<string, unknown>;
  state: 'running' | 'cancelling' | 'done' | 'refused' | 'failed' | 'cancelled';
  startedAt: string;
  endedAt?: string;
  progress?: JobProgress;
  messages: string;
  result?: unknown;
}

/** The answer of `/api/console`. */
export interface ConsoleState {
  allowActions: boolean;
  now: number;
  status?: Status;
  /** Time of the status, epoch milliseconds. */
  at?: number;
  samples: Sample[];
  failing?: { message: string; since: number };
  scan?: { argv: string[]; startedAt: string; progress?: JobProgress; waiting: number };
  jobs: Job[];
}

export interface DeadLetterSummary {
  ref: string;
  key: string | null;
  reason: string;
  detail: string;
  time: string;
  origin: { topic: string; partition: number; offset: string };
  bytes: number;
  retried: boolean;
}

export interface DeadLetterList {
  total: number;
  retried: number;
  byReason: Record<string, number>;
  newest: DeadLetterSummary[];
}

export type Content = { text: string } | { base64: string };

export interface ShownDeadLetter extends DeadLetterSummary {
  headers: Record<string, Content | null | Content[]>;
  value: Content | null;
  valueBytes: number;
  fault?: { from: number; to: number };
  json?: unknown;
  retryable: boolean;
}

export interface RetryResult {
  dryRun: boolean;
  sent: number;
  alreadyRetried: number;
  stillRefused: DeadLetterSummary[];
  stillRefusedTotal: number;
  notRetryable: DeadLetterSummary[];
  notRetryableTotal: number;
}

export interface ExplainedDate {
  version?: number;
  available?: boolean;
  price?: number;
}

export interface ExplainedGeneration {
  number: number;
  role: string;
  trouble?: string;
  state?: {
    revision: number;
    firstSeen?: string;
    removed: number;
    replaced: number;
    fields: Record<string, { version: number; value: unknown; seenAt?: string }>;
    calendar: { kept: number; visible: number; open: number; today: string };
    dates: Record<string, ExplainedDate>;
  };
  hidden?: string;
  failure?: string;
  item?: { revision: number; publishedAt: string; feedItem: Record<string, unknown>; calendarDates: number };
  change?: { state: string; at: string; sequence: number; changeNumber?: number };
  agrees?: boolean;
  otherVersions?: boolean;
  position?: { at: number; of: number };
}

interface HistoryRecord {
  partition: number;
  offset: string;
  at?: string;
  kind: string;
  version?: number;
  time?: string;
  fields?: string[];
  dates?: number;
  reason?: string;
}

export interface Explanation {
  id: string;
  found: boolean;
  summary: string;
  generations: ExplainedGeneration[];
  deadLetters: DeadLetterList;
  history?: { total: number; newest: HistoryRecord[] };
}

export interface Difference {
  id: string;
  kind: 'only-live' | 'only-new' | 'content' | 'facts';
  hidden?: string;
  failure?: string;
  members?: string[];
  values?: Record<string, { live: unknown; new: unknown }>;
  explained: boolean;
}

export interface Comparison {
  live: number;
  generation: number;
  liveItems: number;
  items: number;
  settled: number;
  verification: Verification;
  differences: Difference[];
}
