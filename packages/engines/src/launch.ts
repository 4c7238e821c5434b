import { closeSync, openSync } from 'node:fs';
import type { OwnedProcess, ProcessExit, ProcessSupervisor } from '@vitrine/runtime/processes';

/**
 * The environment variable that makes a JVM read paths as UTF-8. If no locale is set, a JVM cannot find files
 * below a folder such as "José".
 */
export const UTF8_PATHS = { LC_ALL: 'C.UTF-8' } as const;

/** A program to run. Its output goes to the log. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** The complete environment. The program inherits no other variables. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly log: string;
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
}

/** Runs a program that does not keep the event loop of this process alive. */
export function launch(
  supervisor: ProcessSupervisor,
  { command, args, env, cwd, log, user }: Launch,
): OwnedProcess {
  const output = openSync(log, 'a');
  try {
    const started = supervisor.spawn(command, args, { cwd, env, stdio: ['ignore', output, output], ...user });
    started.child.unref();
    return started;
  } finally {
    closeSync(output);
  }
}

/** Describes how a program ended. */
export function describeExit({ code, signal }: ProcessExit): string {
  return signal === null ? `exit code ${code}` : `signal ${signal}`;
}
