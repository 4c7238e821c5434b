// Plain JavaScript, because `scripts/prepare.mjs` needs it before the packages exist, on any Node.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * The start time of a running process as text without spaces; undefined if there is no such process. Together
 * with the id it identifies a process: the system uses ids again.
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

/** The id of a process's parent; undefined if there is no such process. */
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

/** Whether the process that had this id and start time still runs. */
export function isRunning({ pid, startTime }) {
  return startTime !== undefined && startTimeOf(pid) === startTime;
}

/**
 * Sends a signal (0: only tests) to a process, or to a group for a negative id. Returns false if it no longer
 * exists.
 */
export function signalProcess(pid, name) {
  try {
    return process.kill(pid, name);
  } catch (error) {
    return error.code === 'EPERM';
  }
}
