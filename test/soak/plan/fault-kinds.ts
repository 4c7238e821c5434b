/**
 * What clients may notice during a fault (docs/operate/soak.md#declared-windows):
 * `unavailable`: any query service may return 503 with Retry-After, and may break an export off.
 * `gone`: connections to the target may be refused or reset.
 * `leaving`: what `gone` permits. Also, a request for an export may receive 503 with Retry-After if the
 * target has sent no part of that export.
 * `stopped`: requests to the target may time out or receive 503.
 * `nothing`: no request may fail.
 */
type Effect = 'unavailable' | 'gone' | 'leaving' | 'stopped' | 'nothing';

/** A part of the system. */
export type Component = 'machine' | 'kafka' | 'elasticsearch' | 'projector' | 'ingest' | 'query' | 'follower';

export interface FaultKind {
  /** What the fault stops, slows down or changes. */
  readonly of: Component;
  /** Number of targets: the services 1 to N, or 0 if the fault has no target. */
  readonly targets: number;
  /** Shortest and longest duration in seconds. Both are 0 for a fault that ends with its action. */
  readonly seconds: readonly [number, number];
  readonly effect: Effect;
  /** Seconds after the end of the fault during which the effect is still permitted. */
  readonly graceSeconds: number;
  /** Seconds without another fault after this one. */
  readonly restSeconds: number;
}

/** The number of services of each kind. */
export const SERVICES = 2;
/** A query service may finish the searches that it sent to an engine that has just started. */
const RECOVERY = 20;
const NOTHING = { effect: 'nothing', graceSeconds: 0 } as const;

/** Every fault of services and engines. `Kafka` closes a session after 10 s. */
export const FAULT_KINDS = {
  'kill-projector': { of: 'projector', targets: SERVICES, seconds: [0, 3], restSeconds: 15, ...NOTHING },
  'terminate-projector': { of: 'projector', targets: SERVICES, seconds: [0, 0], restSeconds: 12, ...NOTHING },
  'suspend-projector': { of: 'projector', targets: SERVICES, seconds: [2, 6], restSeconds: 8, ...NOTHING },
  'suspend-projector-beyond-its-session': {
    of: 'projector',
    targets: SERVICES,
    seconds: [14, 22],
    restSeconds: 15,
    ...NOTHING,
  },
  'kill-ingest': { of: 'ingest', targets: 1, seconds: [0, 3], restSeconds: 8, ...NOTHING },
  'kill-query': {
    of: 'query',
    targets: SERVICES,
    seconds: [0, 3],
    effect: 'gone',
    graceSeconds: 1,
    restSeconds: 8,
  },
  'terminate-query': {
    of: 'query',
    targets: SERVICES,
    seconds: [0, 0],
    effect: 'leaving',
    graceSeconds: 1,
    restSeconds: 8,
  },
  'suspend-query': {
    of: 'query',
    targets: SERVICES,
    seconds: [2, 15],
    effect: 'stopped',
    graceSeconds: 5,
    restSeconds: 8,
  },
  'restart-kafka': { of: 'kafka', targets: 0, seconds: [0, 5], restSeconds: 20, ...NOTHING },
  'kill-kafka': { of: 'kafka', targets: 0, seconds: [0, 5], restSeconds: 20, ...NOTHING },
  'freeze-kafka': { of: 'kafka', targets: 0, seconds: [5, 18], restSeconds: 15, ...NOTHING },
  'restart-elasticsearch': {
    of: 'elasticsearch',
    targets: 0,
    seconds: [0, 5],
    effect: 'unavailable',
    graceSeconds: RECOVERY,
    restSeconds: 30,
  },
  'kill-elasticsearch': {
    of: 'elasticsearch',
    targets: 0,
    seconds: [0, 5],
    effect: 'unavailable',
    graceSeconds: RECOVERY,
    restSeconds: 30,
  },
  'freeze-elasticsearch': {
    of: 'elasticsearch',
    targets: 0,
    seconds: [5, 20],
    effect: 'unavailable',
    graceSeconds: RECOVERY,
    restSeconds: 20,
  },
  'third-projector': { of: 'projector', targets: 0, seconds: [15, 25], restSeconds: 8, ...NOTHING },
  'slow-elasticsearch': { of: 'elasticsearch', targets: 0, seconds: [15, 25], restSeconds: 5, ...NOTHING },
  'lost-responses': { of: 'elasticsearch', targets: 0, seconds: [10, 20], restSeconds: 5, ...NOTHING },
  'full-disk': { of: 'elasticsearch', targets: 0, seconds: [12, 20], restSeconds: 20, ...NOTHING },
  'kill-follower': { of: 'follower', targets: SERVICES, seconds: [0, 5], restSeconds: 3, ...NOTHING },
  // Observed, not planned: the machine leaves Elasticsearch no CPU time (`StarvationWatch`).
  'starved-machine': {
    of: 'machine',
    targets: 0,
    seconds: [0, 0],
    effect: 'unavailable',
    graceSeconds: 5,
    restSeconds: 0,
  },
} as const satisfies Record<string, FaultKind>;
export type FaultName = keyof typeof FAULT_KINDS;
/** A fault that a schedule plans. */
export type PlannedFault = Exclude<FaultName, 'starved-machine'>;
export const FAULT_NAMES = Object.keys(FAULT_KINDS).filter(
  (name): name is PlannedFault => name !== 'starved-machine',
);

/** The operator's work, in an order in which each step is possible. This work runs alongside the faults. */
export const OPERATOR_STEPS = [
  'rebuild',
  'reconcile',
  'rollback',
  'prune',
  'killed-rebuild',
  'reconcile',
  'prune',
] as const;
export type OperatorStep = (typeof OPERATOR_STEPS)[number];
