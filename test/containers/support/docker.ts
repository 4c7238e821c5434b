import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** The result of a program. */
export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a program to its end, in the root of the repository. The code of a missing program is null. */
export async function run(
  command: string,
  args: readonly string[],
  options: { env?: NodeJS.ProcessEnv; input?: string; signal?: AbortSignal } = {},
): Promise<Ran> {
  const { signal } = options;
  const child = spawn(command, [...args], {
    cwd: process.cwd(),
    env: options.env ?? process.env,
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(signal && { signal, killSignal: 'SIGTERM' }),
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => {}); // the program may end without reading its input
  child.stdin.end(options.input ?? '');
  const failed = once(child, 'error').then(([error]: Error[]) => ({ code: null, error }));
  const closed = once(child, 'close').then(([code]: (number | null)[]) => ({
    code: code ?? null,
    error: undefined,
  }));
  const { code, error } = await Promise.race([failed, closed]);
  return { code, stdout, stderr: error === undefined ? stderr : error.message };
}

/** Runs a program and returns its output. @throws with the end of the program's error output if it fails */
async function output(command: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<string> {
  const { code, stdout, stderr } = await run(command, args, { ...(env && { env }) });
  if (code !== 0)
    throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${(stderr || stdout).slice(-4_000)}`);
  return stdout;
}

export const docker = (...args: string[]): Promise<string> => output('docker', args);

/** The members of `docker inspect` that the tests read. */
export interface Inspected {
  Id: string;
  Image: string;
  RestartCount: number;
  State: {
    Status: string;
    Pid: number;
    ExitCode: number;
    OOMKilled: boolean;
    StartedAt: string;
    FinishedAt: string;
    Health?: { Status: string };
  };
  HostConfig: {
    ReadonlyRootfs: boolean;
    Memory: number;
    PortBindings: Record<string, { HostIp: string; HostPort: string }[] | null> | null;
    LogConfig: { Type: string; Config: Record<string, string> };
  };
  Mounts: { Type: string; Name?: string; Destination: string }[];
  Config: { Labels: Record<string, string>; User: string };
}

export async function inspect(id: string): Promise<Inspected> {
  const [found] = JSON.parse(await docker('inspect', id)) as Inspected[];
  if (found === undefined) throw new Error(`there is no container ${id}`);
  return found;
}

/** The members of `docker image inspect` that the tests read. */
export interface InspectedImage {
  Id: string;
  Size: number;
  Config: {
    User: string;
    Env: string[];
    Entrypoint: string[];
    Labels: Record<string, string> | null;
    Healthcheck?: { Test: string[] };
  };
}

export async function inspectImage(name: string): Promise<InspectedImage> {
  const [found] = JSON.parse(await docker('image', 'inspect', name)) as InspectedImage[];
  if (found === undefined) throw new Error(`there is no image ${name}`);
  return found;
}
