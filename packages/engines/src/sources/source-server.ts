import { join } from 'node:path';
import { ProcessSupervisor } from '@vitrine/runtime/processes';
import type { Distribution } from '../download/distributions.ts';
import type { EngineControl } from '../engine-control.ts';
import { EngineProcess, type PreparedEngine, SHORT_LIVED } from '../engine-process.ts';
import { createInstanceFolder } from '../jvm/instance-folder.ts';
import { inspectJavaMachine, prepareJavaMachine } from '../jvm/java-machine.ts';
import type { UnixUser } from '../jvm/unprivileged-user.ts';
import { announce } from '../start-request.ts';

/** The options for every engine that a source of listings needs. */
export interface SourceOptions {
  /** The environment to use instead of process.env. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** Receives a one-line description of each step, without a line break. */
  readonly onProgress?: ((message: string) => void) | undefined;
  /** Aborts the start and all later restarts. */
  readonly signal?: AbortSignal | undefined;
}

/** A running engine that this process started. It never outlives this process. */
export interface SourceServer extends Pick<EngineControl, 'kill' | 'start'> {
  /** Stops the engine and deletes its data. */
  stop(): Promise<void>;
}

/** The information that a JVM engine needs to write its files. */
export interface JavaPlan<Files> {
  readonly files: Files;
  readonly javaHome: string;
  /** The folder to create for this instance. */
  readonly folder: string;
  readonly user: UnixUser | undefined;
  /** The JVM's flags, which set its heap and adapt it to a short life. */
  readonly flags: readonly string[];
}

/**
 * Downloads a distribution if necessary, and starts one JVM from it.
 * @param heap the heap size in JVM notation, such as 256m
 * @throws EnginesError that names the missing software, or contains the end of the engine's log
 */
export async function startJavaSource<Files>(
  title: string,
  distribution: Distribution<Files>,
  prepare: (plan: JavaPlan<Files>) => Promise<PreparedEngine>,
  heap: string,
  { env = process.env, onProgress = () => {}, signal }: SourceOptions,
): Promise<{ address: string; server: SourceServer }> {
  const machine = await inspectJavaMachine(distribution, env);
  const { java, files } = await prepareJavaMachine(machine, { env, onProgress, signal });
  const folder = await createInstanceFolder(machine.cache);
  const plan = {
    files,
    javaHome: java.home,
    folder: join(folder, 'server'),
    user: machine.user,
    flags: [`-Xmx${heap}`, '-XX:+UseSerialGC', ...SHORT_LIVED],
  };
  return startUnderSupervisor(title, folder, () => prepare(plan), { onProgress, signal });
}

/** Starts one process whose supervisor owns the folder. */
export async function startUnderSupervisor(
  title: string,
  folder: string,
  prepare: () => Promise<PreparedEngine>,
  { onProgress = () => {}, signal }: SourceOptions,
): Promise<{ address: string; server: SourceServer }> {
  const supervisor = new ProcessSupervisor(folder);
  try {
    const { address, control } = await announce(title, onProgress, () =>
      EngineProcess.start(supervisor, prepare, signal),
    );
    const server: SourceServer = {
      kill: () => control.kill(),
      start: () => control.start(),
      async stop() {
        await control.stop();
        await supervisor.end();
      },
    };
    return { address, server };
  } catch (error) {
    await supervisor.end();
    throw error;
  }
}
