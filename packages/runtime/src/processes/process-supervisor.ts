import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { ensureCleanupProcess, register, releaseCleanupProcess, unregister } from './cleanup.ts';
import { signalProcess } from './process-identity.mjs';

const STOP_GRACE_MS = 5_000;
const AFTER_KILL_MS = 3_000;
const POLL_MS = 20;

export class ProcessStartError extends Error {
  override readonly name = 'ProcessStartError';
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface OwnedProcess {
  readonly child: ChildProcess;
  /** The process id, which is also the id of the process group. */
  readonly pid: number;
  readonly exited: Promise<ProcessExit>;
  /**
   * Stops the group with SIGTERM, and after `graceMs` with SIGKILL (default 5 s; 0 sends SIGKILL
   * immediately). Resolves when the process is gone.
   */
  stop(graceMs?: number): Promise<ProcessExit>;
}

interface OwnedSpawnOptions extends SpawnOptions {
  /**
   * If true, the rest of the group outlives the group's leader and ends with the supervisor. By default, the
   * group ends with its leader.
   */
  readonly keepsGroup?: boolean;
}

/**
 * Starts and stops the children of this process. Each child leads its own session, so the terminal's signals
 * reach only this process, which stops the children in order. After a crash, SIGKILL or a second Ctrl-C, a
 * cleanup process kills the children within 8 s.
 */
export class ProcessSupervisor {
  /** The supervisors that have children or a folder. */
  static readonly #active = new Set<ProcessSupervisor>();
  readonly #children = new Set<OwnedProcess>();
  readonly #groups = new Set<number>();
  readonly #folder: string | undefined;
  #ended: Promise<void> | undefined;

  /** @param folder a folder that the supervisor deletes after the children have ended */
  constructor(folder?: string) {
    this.#folder = folder;
    if (folder === undefined) return;
    register({ folder });
    ProcessSupervisor.#active.add(this);
  }

  static async endAll(): Promise<void> {
    await Promise.all([...ProcessSupervisor.#active].map((supervisor) => supervisor.end()));
  }

  get size(): number {
    return this.#children.size;
  }

  /** Starts a program. @throws ProcessStartError if the program cannot run, or after `end` was called */
  spawn(
    command: string,
    args: readonly string[],
    { keepsGroup = false, ...options }: OwnedSpawnOptions = {},
  ): OwnedProcess {
    if (this.#ended !== undefined)
      throw new ProcessStartError(`Could not start ${command}: its supervisor is shutting down.`);
    ensureCleanupProcess();
    const child = spawn(command, [...args], { ...options, detached: true });
    const { pid } = child;
    if (pid === undefined) {
      child.once('error', () => {}); // the exception below reports this failure
      throw new ProcessStartError(
        `Could not start ${command}. Check that the program is installed and executable.`,
      );
    }
    register({ group: pid });
    this.#groups.add(pid);
    ProcessSupervisor.#active.add(this);
    const { promise: exited, resolve } = Promise.withResolvers<ProcessExit>();
    const owned: OwnedProcess = {
      child,
      pid,
      exited,
      stop: (graceMs = STOP_GRACE_MS) => stopGroup(owned, graceMs),
    };
    this.#children.add(owned);
    child.on('error', () => {}); // a signal could not be sent; the `exit` event reports the end
    child.once('exit', (code, signal) => {
      this.#children.delete(owned);
      if (!keepsGroup) signalProcess(-pid, 'SIGKILL');
      if (!keepsGroup || !signalProcess(-pid, 0)) this.#forget(pid);
      resolve({ code, signal });
    });
    return owned;
  }

  /** Stops all children in parallel and deletes the folder. A second call waits for the first one. */
  end(graceMs = STOP_GRACE_MS): Promise<void> {
    this.#ended ??= (async () => {
      await Promise.all([...this.#children].map((child) => child.stop(graceMs)));
      for (const group of this.#groups) {
        signalProcess(-group, 'SIGKILL');
        this.#forget(group);
      }
      if (this.#folder !== undefined) {
        await rm(this.#folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
        unregister({ folder: this.#folder });
      }
      ProcessSupervisor.#active.delete(this);
      await releaseCleanupProcess();
    })();
    return this.#ended;
  }

  #forget(group: number): void {
    this.#groups.delete(group);
    unregister({ group });
  }
}

async function stopGroup({ child, pid, exited }: OwnedProcess, graceMs: number): Promise<ProcessExit> {
  if (child.exitCode !== null || child.signalCode !== null) return exited;
  child.ref();
  if (graceMs > 0) {
    signalProcess(-pid, 'SIGTERM');
    signalProcess(-pid, 'SIGCONT'); // a suspended process would not handle SIGTERM
    await Promise.race([exited, delay(graceMs, undefined, { ref: false })]);
  }
  if (child.exitCode === null && child.signalCode === null) signalProcess(-pid, 'SIGKILL');
  const exit = await exited;
  for (let waited = 0; waited < AFTER_KILL_MS && signalProcess(-pid, 0); waited += POLL_MS)
    await delay(POLL_MS);
  return exit;
}
