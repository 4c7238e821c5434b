import { type Component, FAULT_KINDS, type FaultName } from '../plan/fault-kinds.ts';
import {
  type Exit,
  exitPermittedBy,
  type Failure,
  type FaultWindow,
  permittedBy,
  type RequestTime,
} from '../plan/windows.ts';

/** The classes of requests, each with the maximum time in milliseconds until the complete response. */
export const BOUNDS_MS = {
  page: 15_000,
  cursor: 15_000,
  'ai-feed': 15_000,
  changes: 15_000,
  mcp: 20_000,
  export: 120_000,
} as const;
export type RequestClass = keyof typeof BOUNDS_MS;

export interface ClassCounts {
  requests: number;
  /** Failures that a declared window permits. */
  permitted: number;
  /** Failures outside of all declared windows. */
  failed: number;
  longestMs: number;
}

/** A broken promise of the system. */
export interface Violation {
  /** Seconds since the start of the load. */
  readonly at: number;
  readonly what: string;
}

/** A fault that has occurred. Times are in seconds since the start of the load. */
export interface TimelineEntry {
  readonly kind: FaultName;
  readonly target: number;
  readonly from: number;
  readonly to: number | undefined;
}

const KEPT_VIOLATIONS = 200;

/** Counts requests, faults and violations. It judges each failure by the declared windows. */
export class Ledger {
  readonly windows: FaultWindow[] = [];
  readonly violations: Violation[] = [];
  /** Number of violations, including those that are not kept. */
  violationCount = 0;
  /** Permitted failures by the fault that permits them. */
  readonly permitted: Partial<Record<FaultName, number>> = {};
  readonly byClass = Object.fromEntries(
    Object.keys(BOUNDS_MS).map((name) => [name, { requests: 0, permitted: 0, failed: 0, longestMs: 0 }]),
  ) as Record<RequestClass, ClassCounts>;
  /** Responses with status 5xx. */
  serverErrors = 0;
  readonly #now: () => number;
  readonly #begin: number;
  readonly #onViolation: (violation: Violation) => void;

  /**
   * @param onViolation called with each violation that is kept
   * @param now milliseconds on a monotonic clock
   */
  constructor(
    onViolation: (violation: Violation) => void = () => undefined,
    now: () => number = () => performance.now(),
  ) {
    this.#onViolation = onViolation;
    this.#now = now;
    this.#begin = now();
  }

  /** Seconds since the start of the load. */
  get seconds(): number {
    return (this.#now() - this.#begin) / 1_000;
  }

  /** Records the start of a fault, now or some milliseconds ago. The caller sets its end. */
  open(kind: FaultName, target: number, agoMs = 0): FaultWindow {
    const window: FaultWindow = { kind, target, from: this.#now() - agoMs, to: undefined };
    this.windows.push(window);
    return window;
  }

  close(window: FaultWindow): void {
    window.to = this.#now();
  }

  /** Whether a fault of one of these components is in progress, or ended less than `withinMs` ago. */
  isDisturbed(withinMs: number, components: readonly Component[]): boolean {
    const since = this.#now() - withinMs;
    return this.windows.some(
      ({ kind, to }) => components.includes(FAULT_KINDS[kind].of) && (to ?? Infinity) > since,
    );
  }

  /**
   * Judges an exit that no fault ordered.
   * @returns the fault that permits the exit. Without such a fault, the exit is a violation
   */
  recordExit(exit: Exit, what: string): FaultName | undefined {
    const fault = exitPermittedBy(exit, this.#now(), this.windows);
    if (fault === undefined) this.violate(what);
    return fault;
  }

  /** Records a request. @param failure undefined if it succeeded. @returns whether the failure is permitted */
  record(name: RequestClass, time: RequestTime, path: string, failure: Failure | undefined): boolean {
    const counts = this.byClass[name];
    counts.requests++;
    if (failure?.kind === 'status' && failure.status >= 500) this.serverErrors++;
    if (failure === undefined) {
      counts.longestMs = Math.max(counts.longestMs, time.to - time.from);
      return true;
    }
    const fault = permittedBy(failure, time, this.windows);
    if (fault !== undefined) {
      counts.permitted++;
      this.permitted[fault] = (this.permitted[fault] ?? 0) + 1;
      return true;
    }
    counts.failed++;
    this.violate(
      `${name} ${path} on query ${time.service}: ${describe(failure)}, after ${Math.round(time.to - time.from)} ms`,
    );
    return false;
  }

  /** The faults so far, in seconds since the start of the load. */
  timeline(): TimelineEntry[] {
    const since = (at: number) => Math.round((at - this.#begin) / 100) / 10;
    return this.windows.map(({ kind, target, from, to }) => ({
      kind,
      target,
      from: since(from),
      to: to === undefined ? undefined : since(to),
    }));
  }

  /** Records a broken promise of the system. */
  violate(what: string): void {
    this.violationCount++;
    if (this.violations.length >= KEPT_VIOLATIONS) return;
    const violation = { at: this.seconds, what };
    this.violations.push(violation);
    this.#onViolation(violation);
  }
}

function describe(failure: Failure): string {
  if (failure.kind === 'connection') return 'the connection was refused or lost';
  if (failure.kind === 'timeout') return 'no response within the bound';
  return `status ${failure.status} (Retry-After: ${failure.retryAfter ?? 'none'})`;
}
