import { readFile } from 'node:fs/promises';

/** Linux reports the CPU time of processes in hundredths of a second, independent of its clock frequency. */
const TICKS_PER_SECOND = 100;

/**
 * A process and its descendants. The class reads /proc, so that all subjects are measured in the same way.
 */
async function family(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const families = await Promise.all(children.split(' ').filter(Boolean).map(Number).map(family));
  return [pid, ...families.flat()];
}

/** CPU seconds of a process and its descendants so far, in user and kernel mode. */
export async function cpuSeconds(pid: number): Promise<number> {
  const stats = await Promise.all(
    (await family(pid)).map((member) => readFile(`/proc/${member}/stat`, 'utf8')),
  );
  // The name before the last parenthesis may contain spaces; utime and stime are the 12th and 13th field
  // after it.
  const ticks = stats
    .map((stat) => stat.slice(stat.lastIndexOf(')') + 2).split(' '))
    .map((fields) => Number(fields[11]) + Number(fields[12]));
  return ticks.reduce((sum, each) => sum + each, 0) / TICKS_PER_SECOND;
}

/** Peak resident memory (VmHWM) of a process and of each of its descendants, summed, in MB (10^6 bytes). */
export async function peakMegabytes(pid: number): Promise<number> {
  const statuses = await Promise.all(
    (await family(pid)).map((member) => readFile(`/proc/${member}/status`, 'utf8')),
  );
  const kilobytes = statuses.map((status) => Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]));
  return (kilobytes.reduce((sum, each) => sum + each, 0) * 1_024) / 1e6;
}
