// This file runs with any Node. It lets only one process at a time install a clone's packages.
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  isRunning,
  signalProcess,
  startTimeOf,
} from '../packages/runtime/src/processes/process-identity.mjs';

const POLL_MS = 250;

const identityOf = (pid) => ({ pid, startTime: startTimeOf(pid) });

/** The owner and its `npm ci`, or undefined if there is no lock or the lock is damaged. */
function read(path) {
  try {
    const { owner, npm } = JSON.parse(readFileSync(path, 'utf8'));
    return owner && { owner, npm };
  } catch {
    return undefined;
  }
}

function exists(path) {
  try {
    return readFileSync(path, 'utf8') !== undefined;
  } catch {
    return false;
  }
}

/**
 * A lock file outside node_modules, because `npm ci` deletes that folder. The file names its owner by process
 * id and start time. A waiting process can therefore recognize and take over the lock of a dead process, even
 * if a new process has the same id.
 */
export class InstallLock {
  #path;
  #own;

  constructor(root) {
    this.#path = join(root, '.vitrine-installing');
    this.#own = `${this.#path}.${process.pid}`;
  }

  /** Waits until this process holds the lock. `onWait` receives the process id of the current owner, once. */
  async acquire(onWait) {
    writeFileSync(this.#own, JSON.stringify({ owner: identityOf(process.pid) }));
    for (let told = false; !this.#link(); ) {
      const lock = read(this.#path);
      if (lock !== undefined && isRunning(lock.owner)) {
        if (!told) onWait(lock.owner.pid);
        told = true;
        await delay(POLL_MS);
      } else if (exists(this.#path)) await this.#takeOver(lock);
    }
  }

  /**
   * Records the process id of `npm ci`, a group leader. A process that takes over the lock first ends this
   * group.
   */
  installs(npmPid) {
    writeFileSync(this.#own, JSON.stringify({ owner: identityOf(process.pid), npm: identityOf(npmPid) }));
    renameSync(this.#own, this.#path);
  }

  release() {
    rmSync(this.#own, { force: true });
    if (read(this.#path)?.owner.pid === process.pid) rmSync(this.#path, { force: true });
  }

  /**
   * Atomically gives this process's file the name of the lock. Returns false if another process has the lock.
   */
  #link() {
    try {
      linkSync(this.#own, this.#path);
      rmSync(this.#own);
      return true;
    } catch (error) {
      if (error.code === 'EEXIST') return false;
      throw error;
    }
  }

  /** Ends a dead owner's `npm ci` and removes the owner's lock. */
  async #takeOver(dead) {
    while (dead?.npm !== undefined && isRunning(dead.npm)) {
      signalProcess(-dead.npm.pid, 'SIGKILL');
      await delay(POLL_MS);
    }
    const aside = `${this.#path}.${process.pid}.dead`;
    try {
      renameSync(this.#path, aside);
    } catch (error) {
      if (error.code === 'ENOENT') return;
      throw error;
    }
    const taken = read(aside);
    // If another process took over the lock in the meantime, that process keeps it.
    if (taken !== undefined && isRunning(taken.owner) && !exists(this.#path)) renameSync(aside, this.#path);
    else rmSync(aside, { force: true });
  }
}
