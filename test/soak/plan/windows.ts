import { type Component, FAULT_KINDS, type FaultKind, type FaultName } from './fault-kinds.ts';

/** A fault that has begun. Times are in milliseconds on one clock. */
export interface FaultWindow {
  readonly kind: FaultName;
  readonly target: number;
  readonly from: number;
  /**
   * The end of the fault, when everything that it stopped is ready again. Undefined while the fault lasts.
   */
  to: number | undefined;
}

/**
 * How a request failed. `timeout` means that no complete response arrived within the bound of the request's
 * class.
 */
export type Failure =
  | { kind: 'status'; status: number; retryAfter: string | null }
  | { kind: 'connection' }
  | { kind: 'timeout' };

/** A request between its start and its end, in milliseconds. */
export interface RequestTime {
  /** Number of the query service, from 1. */
  readonly service: number;
  readonly from: number;
  readonly to: number;
  readonly isExport: boolean;
}

/**
 * The fault that permits this failure, or undefined if no failure of this kind was permitted at this time
 * (docs/operate/soak.md#declared-windows).
 */
export function permittedBy(
  failure: Failure,
  { service, from, to, isExport }: RequestTime,
  windows: readonly FaultWindow[],
): FaultName | undefined {
  return windows.find((window) => {
    const { effect, graceSeconds }: FaultKind = FAULT_KINDS[window.kind];
    const end = (window.to ?? Infinity) + graceSeconds * 1_000;
    if (to < window.from || from > end) return false;
    const isDeclared503 =
      failure.kind === 'status' && failure.status === 503 && /^[1-9]\d*$/.test(failure.retryAfter ?? '');
    if (effect === 'unavailable') return isDeclared503 || (isExport && failure.kind === 'connection');
    if (service !== window.target) return false;
    if (effect === 'gone') return failure.kind === 'connection';
    if (effect === 'leaving') return failure.kind === 'connection' || (isExport && isDeclared503);
    return effect === 'stopped' && (failure.kind === 'timeout' || isDeclared503);
  })?.kind;
}

/** The end of a service or follower that no fault ordered. */
export interface Exit {
  readonly of: Extract<Component, 'projector' | 'ingest' | 'query' | 'follower'>;
  /** Number of the service or follower, from 1. */
  readonly number: number;
  /** The exit code. Null if a signal ended the process, for example because memory ran out. */
  readonly code: number | null;
}

/** A projector or an ingest that cannot go on may end up to this long after the fault. */
const EXIT_AFTER_FAULT_MS = 60_000;
/** The engines whose faults may end a service. */
const ENGINES_OF: Record<Exit['of'], readonly Component[]> = {
  projector: ['kafka', 'elasticsearch'],
  ingest: ['kafka'],
  query: [],
  follower: [],
};

/**
 * The fault that permits this exit, or undefined if the exit is a violation. A projector or an ingest may end
 * after a fault of an engine, for example if it cannot write a dead letter. No process is designed to end by
 * a signal.
 * @param at the time of the exit in milliseconds
 */
export function exitPermittedBy(
  { of, number, code }: Exit,
  at: number,
  windows: readonly FaultWindow[],
): FaultName | undefined {
  if (code === null) return undefined;
  return windows.find(({ kind, target, from, to = Infinity }) => {
    const fault: FaultKind = FAULT_KINDS[kind];
    const isOwn = fault.of === of && target === number;
    const afterMs = ENGINES_OF[of].length > 0 ? EXIT_AFTER_FAULT_MS : fault.graceSeconds * 1_000;
    const isNear = from <= at && at <= to + afterMs;
    return isNear && ((of !== 'follower' && isOwn) || ENGINES_OF[of].includes(fault.of));
  })?.kind;
}
