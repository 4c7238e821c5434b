import { readFile } from 'node:fs/promises';

/** Linux counts the CPU time of processes in hundredths of a second, whatever its own clock does. */
const TICKS_A_SECOND = 100;

/** A process and all that it started. Reads /proc, so that every contender is measured by the same rule, ours and others. */
async function family(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const families = await Promise.all(children.split(' ').filter(Boolean).map(Number).map(family));
  return [pid, ...families.flat()];
}

/** CPU seconds that a process and its children took so far, in user and kernel mode. */
export async function cpuSeconds(pid: number): Promise<number> {
  const stats = await Promise.all((await family(pid)).map((member) => readFile(`/proc/${member}/stat`, 'utf8')));
  // The name before the last parenthesis may hold spaces; utime and stime are the 12th and 13th field behind it.
  const ticks = stats.map((stat) => stat.slice(stat.lastIndexOf(')') + 2).split(' ')).map((fields) => Number(fields[11]) + Number(fields[12]));
  return ticks.reduce((sum, each) => sum + each, 0) / TICKS_A_SECOND;
}

/** The most memory, in MB (10^6 bytes), that a process and each of its children ever had resident (VmHWM), added up. */
export async function peakMegabytes(pid: number): Promise<number> {
  const statuses = await Promise.all((await family(pid)).map((member) => readFile(`/proc/${member}/status`, 'utf8')));
  const kilobytes = statuses.map((status) => Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]));
  return (kilobytes.reduce((sum, each) => sum + each, 0) * 1_024) / 1e6;
}
