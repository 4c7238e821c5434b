import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface ListedProcess {
  readonly pid: number;
  /** The complete command line. It is empty for a zombie process. */
  readonly command: string;
}

/** Lists all visible processes. On Linux, this function reads /proc, because small images have no `ps`. */
export async function listProcesses(): Promise<ListedProcess[]> {
  if (process.platform !== 'linux')
    return parseProcessList(
      (await run('ps', ['-A', '-ww', '-o', 'pid=,command='], { maxBuffer: 2 ** 26 })).stdout,
    );
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry));
  return Promise.all(pids.map(async (pid) => ({ pid: Number(pid), command: await commandLine(pid) })));
}

/** Parses the output of `ps -o pid=,command=`. */
export function parseProcessList(output: string): ListedProcess[] {
  return output.split('\n').flatMap((line) => {
    const [, pid, command] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined || command === undefined ? [] : [{ pid: Number(pid), command }];
  });
}

async function commandLine(pid: string): Promise<string> {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ').trim();
  } catch {
    return ''; // the process ended after the listing
  }
}
