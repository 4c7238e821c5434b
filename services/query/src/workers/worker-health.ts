import type { Readiness } from '@vitrine/runtime/service';

/** Workers report every half second. A worker without a report for this time counts as frozen. */
const FROZEN_MS = 3_000;
/** After this time, waiting for a worker costs its clients more than replacing the worker. */
const LOST_MS = 15_000;
/** A worker first reports when it begins to serve. On a busy machine, that may take many seconds. */
const START_WITHIN_MS = 60_000;
/** The caller checks every half second. A longer gap means that the first process itself was suspended. */
const PRIMARY_GAP_MS = 2_000;

export type WorkerState = 'starting' | 'responding' | 'frozen';

/** A change in the state of one worker. */
export interface WorkerChange<W> {
  worker: W;
  change: 'frozen' | 'responds again' | 'lost';
  silentMs: number;
}

interface WorkerRecord {
  at: number;
  readiness: Readiness | undefined;
  isFrozen: boolean;
  isLost: boolean;
}

/**
 * Derives the state of the workers from the age of their reports, because a stopped or blocked process cannot
 * report its own state. Pauses of the first process do not count: after such a pause, or a suspension of the
 * machine, the reports of all workers are old, and no worker is at fault.
 */
export class WorkerHealth<W extends { readonly process: { readonly pid?: number | undefined } }> {
  readonly #now: () => number;
  readonly #workers = new Map<W, WorkerRecord>();
  #tickedAt: number;

  /** @param now milliseconds of a clock that never goes back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#tickedAt = now();
  }

  started(worker: W): void {
    this.#workers.set(worker, { at: this.#tick(), readiness: undefined, isFrozen: false, isLost: false });
  }

  /** Records a report. A report of a worker that has ended in the meantime is ignored. */
  reported(worker: W, readiness: Readiness): void {
    const record = this.#workers.get(worker);
    if (record) Object.assign(record, { at: this.#tick(), readiness });
  }

  ended(worker: W): void {
    this.#workers.delete(worker);
  }

  /**
   * Call this every half second.
   * @returns the workers whose state changed since the previous call. The caller must kill each `lost`
   *   worker; a lost worker is returned only once.
   */
  check(): WorkerChange<W>[] {
    const now = this.#tick();
    const changes: WorkerChange<W>[] = [];
    for (const [worker, record] of this.#workers) {
      const silentMs = now - record.at;
      const isFrozen = this.#stateOf(record, now) === 'frozen';
      const isLost = silentMs >= (record.readiness ? LOST_MS : START_WITHIN_MS);
      if (isLost && !record.isLost) changes.push({ worker, change: 'lost', silentMs });
      else if (isFrozen !== record.isFrozen)
        changes.push({ worker, change: isFrozen ? 'frozen' : 'responds again', silentMs });
      Object.assign(record, { isFrozen, isLost });
    }
    return changes;
  }

  /**
   * Ready while at least one responding worker is ready, because new connections go to it. Lists the frozen
   * workers.
   */
  readiness(): Readiness {
    const now = this.#tick();
    const all = [...this.#workers];
    const responding = all.flatMap(([, record]) =>
      this.#stateOf(record, now) === 'responding' && record.readiness ? [record.readiness] : [],
    );
    const frozen = all
      .filter(([, record]) => this.#stateOf(record, now) === 'frozen')
      .map(
        ([worker, { at }]) =>
          `process ${worker.process.pid} has not responded for ${Math.floor((now - at) / 1_000)} s`,
      );
    const reasons = [...new Set(responding.flatMap((readiness) => readiness.reasons)), ...frozen];
    return responding.length > 0
      ? { ready: responding.some(({ ready }) => ready), reasons }
      : { ready: false, reasons: ['no process responds', ...reasons] };
  }

  /** The workers in `state`. */
  inState(state: WorkerState): W[] {
    const now = this.#tick();
    return [...this.#workers]
      .filter(([, record]) => this.#stateOf(record, now) === state)
      .map(([worker]) => worker);
  }

  #stateOf({ at, readiness }: WorkerRecord, now: number): WorkerState {
    if (!readiness) return 'starting';
    return now - at >= FROZEN_MS ? 'frozen' : 'responding';
  }

  /** The current time. Subtracts a gap in the calls of this process from the age of every report. */
  #tick(): number {
    const now = this.#now();
    const gap = now - this.#tickedAt;
    this.#tickedAt = now;
    if (gap >= PRIMARY_GAP_MS)
      for (const record of this.#workers.values()) record.at = Math.min(record.at + gap, now);
    return now;
  }
}
