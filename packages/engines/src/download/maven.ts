import { open } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';
import { ProcessStartError, ProcessSupervisor } from '@vitrine/runtime/processes';
import { EnginesError } from '../engine-control.ts';
import { readLog, tailOf } from '../engine-log.ts';

export interface MavenRun {
  readonly mvn: string;
  /** The Java installation that runs Maven. */
  readonly javaHome: string;
  readonly pom: string;
  /** The name that messages use for the program to which the artifacts belong. */
  readonly title: string;
  /** The values that replace the pom's properties `<name>.version`. */
  readonly versions: Readonly<Record<string, string>>;
  /** The options for each run. */
  readonly runs: readonly (readonly string[])[];
  /** The pom's target folder. */
  readonly target: string;
  readonly log: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal | undefined;
}

/**
 * Downloads the artifacts that a pom names, and verifies them. Maven's output goes to the log.
 * @throws EnginesError with the reason that Maven gives; the signal's reason on abort
 */
export async function runMaven(run: MavenRun): Promise<void> {
  const { mvn, javaHome, pom, title, versions, runs, target, log, env, signal } = run;
  signal?.throwIfAborted();
  const output = await open(log, 'w');
  const supervisor = new ProcessSupervisor();
  const stop = () => void supervisor.end();
  signal?.addEventListener('abort', stop);
  try {
    let isComplete = true;
    for (const options of runs) {
      const args = ['--batch-mode', '--no-transfer-progress', ...options, '--file', pom, 'generate-sources'];
      args.push(
        `-Dengines.target=${target}`,
        ...Object.entries(versions).map(([name, version]) => `-D${name}.version=${version}`),
      );
      const { exited } = supervisor.spawn(mvn, args, {
        cwd: target,
        // The environment may contain a wrong JAVA_HOME.
        env: { ...env, JAVA_HOME: javaHome },
        stdio: ['ignore', output.fd, output.fd],
      });
      isComplete = (await exited).code === 0 && !signal?.aborted;
      if (!isComplete) break;
    }
    if (isComplete) return;
  } catch (cause) {
    if (cause instanceof ProcessStartError) throw new EnginesError(`Could not run Maven (${mvn})`, { cause });
    throw cause;
  } finally {
    signal?.removeEventListener('abort', stop);
    await supervisor.end();
    await output.close();
  }
  signal?.throwIfAborted();
  throw new EnginesError(
    `Maven could not download ${title}. The errors in its log ` +
      `${log}:\n${mavenReason(await readLog(log))}`,
  );
}

/**
 * Extracts the errors from Maven's log, without Maven's advice. If there are no errors, returns the end of
 * the log.
 */
export function mavenReason(log: string): string {
  const errors = stripVTControlCharacters(log)
    .split('\n')
    .flatMap((line) => /^\[(?:ERROR|FATAL)\] +(.+?)(?: -> \[Help \d+\])?\s*$/.exec(line)?.[1] ?? [])
    .filter(
      (line) =>
        !/^(?:To see the full|Re-run Maven|For more information|After correcting|-> \[Help|\[Help)/.test(
          line,
        ),
    );
  return errors.length > 0 ? tailOf(errors.join('\n')) : tailOf(log);
}
