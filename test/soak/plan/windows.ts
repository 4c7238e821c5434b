import { FAULT_KINDS, type FaultKind, type FaultName } from './fault-kinds.ts';

/** A fault that has begun. Times are in milliseconds on one clock. */
export interface FaultWindow {
  readonly kind: FaultName;
  readonly target: number;
  readonly from: number;
  /** The end of the fault: everything that it stopped is ready again. Undefined while it lasts. */
  to: number | undefined;
}

/** How a request failed. `timeout`: no complete response within the bound of its class. */
export type Failure =
  | { kind: 'status'; status: number; retryAfter: string | null }
  | { kind: 'connection' }
  | { kind: 'timeout' };

/** A request between its begin and its end, in milliseconds. */
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
    return effect === 'stopped' && (failure.kind === 'timeout' || isDeclared503);
  })?.kind;
}
