import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { EnginesError } from './engine-control.ts';
import { readLog, tailOf } from './log-tail.ts';

export interface MavenRun {
  readonly mvn: string;
  readonly pom: string;
  /** The target folder of the pom. */
  readonly target: string;
  readonly log: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal | undefined;
}

/**
 * Downloads the artifacts of infra/engines/pom.xml. Maven's output goes to the log.
 * @throws EnginesError with the end of the log if Maven fails; the signal's reason on abort
 */
export async function runMaven({ mvn, pom, target, log, env, signal }: MavenRun): Promise<void> {
  signal?.throwIfAborted();
  const output = await open(log, 'w');
  try {
    const child = spawn(mvn, ['--batch-mode', '--no-transfer-progress', '--file', pom, 'initialize', `-Dengines.target=${target}`], {
      cwd: target,
      env,
      stdio: ['ignore', output.fd, output.fd],
      ...(signal === undefined ? {} : { signal }),
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code === 0) return;
  } catch (cause) {
    signal?.throwIfAborted();
    throw new EnginesError(`Maven (${mvn}) could not be run.`, { cause });
  } finally {
    await output.close();
  }
  signal?.throwIfAborted();
  throw new EnginesError(`Maven could not download Kafka and Elasticsearch. The end of its log ${log}:\n${tailOf(await readLog(log))}`);
}
