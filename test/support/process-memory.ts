import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The most resident memory that a running process ever had, in MB. Linux only. */
export function peakMemoryOf({ pid }: ChildProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}
