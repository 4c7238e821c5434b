// This file is plain JavaScript, because `scripts/prepare.mjs` needs it before the packages are installed.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Returns the start time of a running process as a string without spaces, or undefined if there is no such
 * process. Process id and start time together identify a process, because the system reuses ids.
 */
export function startTimeOf(pid) {
  try {
    if (process.platform !== 'linux') {
      const text = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      return text.trim().replaceAll(/\s+/g, '_') || undefined;
    }
    // The name, in parentheses, may contain spaces. Field 22 of the line is the start time in ticks since
    // boot.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' || state === 'X' ? undefined : fields[18];
  } catch {
    return undefined;
  }
}

/** Returns the id of a process's parent, or undefined if there is no such process. */
export function parentOf(pid) {
  try {
    if (process.platform !== 'linux')
      return (
        Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' })) || undefined
      );
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

export function isRunning({ pid, startTime }) {
  return startTime !== undefined && startTimeOf(pid) === startTime;
}

/**
 * Sends a signal to a process, or to a process group if the id is negative. Signal 0 only tests whether the
 * target exists. Returns false if the target no longer exists.
 */
export function signalProcess(pid, name) {
  try {
    return process.kill(pid, name);
  } catch (error) {
    return error.code === 'EPERM';
  }
}
