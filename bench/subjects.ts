import { join } from 'node:path';
import { freePorts } from '@vitrine/engines/testing';
import { type ServiceProcess, startNode, startService } from '@vitrine/test/service-process';
import { get, HttpConnection } from './http-connection.ts';
import { pause, TimeLimitError, within } from './time-limit.ts';

/** A measured program: one of our services or a peer, in its own process. */
export interface Subject {
  port: number;
  pid: number;
  stop(): Promise<void>;
}

export interface ServiceSubject extends Subject {
  /** Origin of health and metrics. */
  admin: string;
}

const START_LIMIT_MS = 60_000;
const POLL_MS = 50;
const LOG_CHARACTERS = 20_000;

/**
 * Starts a service. Resolves when the service is ready. Only the query
 * service uses `port`.
 * @param root the repository whose code runs; by default, this repository
 */
export async function startSubject(
  service: 'query' | 'projector' | 'ingest',
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
  root?: string,
): Promise<ServiceSubject> {
  const [port = 0, adminPort = 0] = await freePorts(2);
  const ports = { PORT: String(port), ADMIN_PORT: String(adminPort) };
  const program = startService(service, { LOG_LEVEL: 'warn', ...env, ...ports }, [], root);
  const admin = `http://127.0.0.1:${adminPort}`;
  await untilUp(`start of the ${service} service`, program, signal, async () => {
    const connection = new HttpConnection(adminPort);
    const { status } = await connection.send(get('/health/ready')).finally(() => connection.close());
    return status === 200;
  });
  return { port, admin, pid: program.pid, stop: program.stop };
}

/** Starts a program in this folder that listens on PORT. Resolves when the program responds. */
export async function startPeer(
  file: string,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Subject> {
  const [port = 0] = await freePorts(1);
  const program = startNode(['--disable-warning=TimeoutNegativeWarning', join(import.meta.dirname, file)], {
    ...env,
    PORT: String(port),
    NODE_ENV: 'production',
  });
  await untilUp(`start of ${file}`, program, signal, async () => {
    const connection = new HttpConnection(port);
    await connection.send(get('/')).finally(() => connection.close());
    return true;
  });
  return { port, pid: program.pid, stop: program.stop };
}

/** Stops the program if it does not become ready in time. */
async function untilUp(
  what: string,
  program: ServiceProcess,
  signal: AbortSignal,
  isUp: () => Promise<boolean>,
): Promise<void> {
  let exit: string | undefined;
  void program.exited.then((code) => {
    exit = `exit code ${code}`;
  });
  let problem = 'not ready';
  const poll = async (): Promise<void> => {
    for (;;) {
      const up = await isUp().catch((error: Error) => {
        problem = error.message;
        return false;
      });
      if (up) return;
      if (exit !== undefined) throw new Error(`${what}: ${exit}\n${logEnd(program)}`);
      await pause(POLL_MS, signal);
    }
  };
  try {
    await within(what, START_LIMIT_MS, signal, poll);
  } catch (error) {
    await program.stop();
    throw error instanceof TimeLimitError
      ? new TimeLimitError(`${error.message}: ${problem}\n${logEnd(program)}`.trimEnd())
      : error;
  }
}

/** The last part of a program's log, for an error message. */
export const logEnd = (program: ServiceProcess): string => program.log().slice(-LOG_CHARACTERS);
