import { readdir, readFile } from 'node:fs/promises';

/** Linux reports processes' CPU time in hundredths of a second, whatever the kernel's clock frequency is. */
const TICKS_PER_SECOND = 100;

/**
 * A process and its descendants. The function reads /proc, so that all subjects are measured in the same way.
 */
async function family(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const families = await Promise.all(children.split(' ').filter(Boolean).map(Number).map(family));
  return [pid, ...families.flat()];
}

/** The CPU seconds so far of a process and its descendants, in user and kernel mode. */
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

/**
 * The CPU seconds so far of the threads of a process and its descendants. Linux counts this time in
 * nanoseconds, so the figure suits work of a few milliseconds. It omits threads that have ended.
 * @param names counts only the threads whose names begin with this text
 */
export async function threadSeconds(pid: number, names = ''): Promise<number> {
  const times = (await family(pid)).map(async (member) => {
    const folder = `/proc/${member}/task`;
    const threads = (await readdir(folder)).map(async (thread) => {
      if (names !== '' && !(await readFile(`${folder}/${thread}/comm`, 'utf8')).startsWith(names)) return 0;
      return Number((await readFile(`${folder}/${thread}/schedstat`, 'utf8')).split(' ')[0]);
    });
    // A thread may end between the two reads.
    return (await Promise.allSettled(threads)).reduce(
      (sum, thread) => sum + (thread.status === 'fulfilled' ? thread.value : 0),
      0,
    );
  });
  return (await Promise.all(times)).reduce((sum, each) => sum + each, 0) / 1e9;
}

/** The CPU seconds of this process's ended children, and of the children that those waited for. */
export async function endedChildrenCpuSeconds(): Promise<number> {
  const stat = await readFile('/proc/self/stat', 'utf8');
  // cutime and cstime are the 14th and 15th field after the name.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
}

/** Peak resident memory (VmHWM) of a process and of each of its descendants, summed, in MB (10^6 bytes). */
export async function peakMegabytes(pid: number): Promise<number> {
  const statuses = await Promise.all(
    (await family(pid)).map((member) => readFile(`/proc/${member}/status`, 'utf8')),
  );
  const kilobytes = statuses.map((status) => Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]));
  return (kilobytes.reduce((sum, each) => sum + each, 0) * 1_024) / 1e6;
}
