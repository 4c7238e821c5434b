import type { Readiness } from '@vitrine/runtime';

/** Workers report every half second. After this long without a report, one counts as frozen. */
const FROZEN_MS = 3_000;
/** After this long, waiting any longer costs the clients of its connections more than a new process does. */
const LOST_MS = 15_000;
/** A worker reports for the first time when it serves. A busy machine may need many seconds for that. */
const START_WITHIN_MS = 60_000;
/** The caller checks every half second. A longer gap means that the first process itself stood still. */
const OWN_GAP_MS = 2_000;

export type WorkerState = 'starting' | 'responding' | 'frozen';

/** What the first process should do about one worker. */
export interface WorkerChange<W> {
  worker: W;
  change: 'frozen' | 'responds again' | 'lost';
  silentMs: number;
}

interface Heard {
  at: number;
  readiness: Readiness | undefined;
  isFrozen: boolean;
  isLost: boolean;
}

/**
 * Judges the workers of a service by the age of their reports. A process that is stopped, or whose event loop is
 * blocked, cannot say so itself. Only time that the first process has seen counts: after a suspended machine or a
 * pause of the first process, reports of all workers are old, and none of them is to blame.
 */
export class WorkerHealth<W extends { readonly process: { readonly pid?: number | undefined } }> {
  readonly #now: () => number;
  readonly #workers = new Map<W, Heard>();
  #seenAt: number;

  /** @param now milliseconds of a clock that never goes back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#seenAt = now();
  }

  started(worker: W): void {
    this.#workers.set(worker, { at: this.#see(), readiness: undefined, isFrozen: false, isLost: false });
  }

  /** Notes a report; one of a worker that has ended in the meantime counts for nothing. */
  reported(worker: W, readiness: Readiness): void {
    const heard = this.#workers.get(worker);
    if (heard) Object.assign(heard, { at: this.#see(), readiness });
  }

  ended(worker: W): void {
    this.#workers.delete(worker);
  }

  /**
   * To be called every half second.
   * @returns the workers whose state has changed since the call before; `lost` ones are to be killed, and are named once
   */
  check(): WorkerChange<W>[] {
    const now = this.#see();
    const changes: WorkerChange<W>[] = [];
    for (const [worker, heard] of this.#workers) {
      const silentMs = now - heard.at;
      const isFrozen = this.#stateOf(heard, now) === 'frozen';
      const isLost = silentMs >= (heard.readiness ? LOST_MS : START_WITHIN_MS);
      if (isLost && !heard.isLost) changes.push({ worker, change: 'lost', silentMs });
      else if (isFrozen !== heard.isFrozen) changes.push({ worker, change: isFrozen ? 'frozen' : 'responds again', silentMs });
      Object.assign(heard, { isFrozen, isLost });
    }
    return changes;
  }

  /** Ready while one worker that responds is ready: new connections go to it. Names the frozen ones. */
  readiness(): Readiness {
    const now = this.#see();
    const all = [...this.#workers];
    const responding = all.flatMap(([, heard]) => (this.#stateOf(heard, now) === 'responding' && heard.readiness ? [heard.readiness] : []));
    const frozen = all
      .filter(([, heard]) => this.#stateOf(heard, now) === 'frozen')
      .map(([worker, { at }]) => `process ${worker.process.pid} has not responded for ${Math.floor((now - at) / 1_000)} s`);
    const reasons = [...new Set(responding.flatMap((readiness) => readiness.reasons)), ...frozen];
    return responding.length > 0
      ? { ready: responding.some(({ ready }) => ready), reasons }
      : { ready: false, reasons: ['no process serves', ...reasons] };
  }

  /** The workers in `state`. */
  in(state: WorkerState): W[] {
    const now = this.#see();
    return [...this.#workers].filter(([, heard]) => this.#stateOf(heard, now) === state).map(([worker]) => worker);
  }

  #stateOf({ at, readiness }: Heard, now: number): WorkerState {
    if (!readiness) return 'starting';
    return now - at >= FROZEN_MS ? 'frozen' : 'responding';
  }

  /** The time now, after a gap in our own clock is taken out of the age of every report. */
  #see(): number {
    const now = this.#now();
    const gap = now - this.#seenAt;
    this.#seenAt = now;
    if (gap >= OWN_GAP_MS) for (const heard of this.#workers.values()) heard.at = Math.min(heard.at + gap, now);
    return now;
  }
}
