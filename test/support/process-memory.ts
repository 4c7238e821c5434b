import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Peak resident memory of a running process, in MB. Linux only. */
export function peakMemoryOf({ pid }: ChildProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}
