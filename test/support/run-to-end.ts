import { spawn } from 'node:child_process';

export interface Run {
  /** The exit code, which is 127 if the program does not exist. */
  code: number;
  /** Standard output and standard error. */
  output: string;
}

/** Runs a program without input, and waits for its end. It is killed after `timeout` milliseconds. */
export function runToEnd(
  command: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv; timeout?: number } = {},
): Promise<Run> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', (error) => resolve({ code: 127, output: error.message }));
    child.on('close', (code) => resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString() }));
  });
}
