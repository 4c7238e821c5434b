import type { Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Readiness } from '@vitrine/runtime/service';

/** Workers report every half second. A worker counts as frozen if it has not reported for this long. */
const FROZEN_MS = 3_000;
/** After this long, a worker's clients lose more by waiting for the worker than by its replacement. */
const LOST_MS = 15_000;
/**
 * A worker sends its first report when it begins to serve. On a busy machine, its start may take many
 * seconds.
 */
const START_WITHIN_MS = 60_000;
/**
 * The caller calls `check` every half second. A longer gap means that the first process itself was suspended.
 */
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
 * Derives each worker's state from the age of its reports because a suspended or blocked process cannot
 * report its own state. A pause of the first process, for example a suspension of the machine, does not
 * count. After a pause, all reports are old, although no worker has failed.
 */
export class WorkerHealth<W extends { readonly process: { readonly pid?: number | undefined } }> {
  readonly #now: () => number;
  readonly #workers = new Map<W, WorkerRecord>();
  #tickedAt: number;

  /** @param now returns the time of a monotonic clock, in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#tickedAt = now();
  }

  started(worker: W): void {
    this.#workers.set(worker, { at: this.#tick(), readiness: undefined, isFrozen: false, isLost: false });
  }

  /** Records a report. Ignores a report from a worker that has ended in the meantime. */
  reported(worker: W, readiness: Readiness): void {
    const record = this.#workers.get(worker);
    if (record) Object.assign(record, { at: this.#tick(), readiness });
  }

  ended(worker: W): void {
    this.#workers.delete(worker);
  }

  /**
   * Finds the changes since the previous call. The caller must call this function every half second.
   * @returns the workers whose state has changed. The caller must kill each `lost` worker, which is returned
   * only once.
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
   * Returns ready while at least one responding worker is ready, because new connections go to that worker.
   * The reasons list the frozen workers.
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

  /**
   * Returns the current time. If this process was suspended, subtracts the gap from the age of every report.
   */
  #tick(): number {
    const now = this.#now();
    const gap = now - this.#tickedAt;
    this.#tickedAt = now;
    if (gap >= PRIMARY_GAP_MS)
      for (const record of this.#workers.values()) record.at = Math.min(record.at + gap, now);
    return now;
  }
}

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;
/** A process that ran at least this long did not fail at its start. */
const STABLE_MS = 60_000;

/**
 * Computes the delay before a new process replaces one that has exited. The delay doubles with each process
 * that exits soon after its start.
 */
export class RestartDelay {
  #failures = 0;

  /** @param livedMs lifetime of the process that exited @returns the delay in milliseconds */
  delayAfter(livedMs: number): number {
    this.#failures = livedMs >= STABLE_MS ? 0 : this.#failures;
    return Math.min(FIRST_DELAY_MS * 2 ** this.#failures++, LONGEST_DELAY_MS);
  }
}

export const STOP = 'stop';

/** Tells `worker` to stop, and waits until it has ended. */
export async function stopWorker(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const exited = once(worker, 'exit');
  // A worker that was just killed still counts as connected. With a callback, the failed write raises no
  // error.
  if (worker.isConnected()) worker.send(STOP, () => undefined);
  await exited;
}
