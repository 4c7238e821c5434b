import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { eventually, type ServiceProcess, spawnService } from '../test/support/service-process.ts';
import { Connection, get } from './connection.ts';

/** A contender: a process of its own that listens. */
export interface Contender {
  port: number;
  pid: number;
  stop(): Promise<void>;
}

export interface ServiceContender extends Contender {
  /** Where health and metrics are. */
  admin: string;
}

/** Whatever ends this process, nothing that it started goes on. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill();
});

function endWithUs(child: ChildProcess): void {
  running.add(child);
  child.once('exit', () => running.delete(child));
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The query service, by the very command of `npm run query`; resolves when it is ready. */
export async function startQuery(env: Record<string, string>): Promise<ServiceContender> {
  const port = await freePort();
  const { admin, process: started } = await startReady('query', { ...env, PORT: String(port) });
  return { port, admin, pid: started.child.pid as number, stop: () => stopped(started) };
}

/** The projector, by the very command of `npm run projector`; resolves when it has its partitions. */
export async function startProjector(env: Record<string, string>): Promise<Omit<ServiceContender, 'port'>> {
  const { admin, process: started } = await startReady('projector', env);
  return { admin, pid: started.child.pid as number, stop: () => stopped(started) };
}

async function startReady(service: 'query' | 'projector', env: Record<string, string>): Promise<{ admin: string; process: ServiceProcess }> {
  const adminPort = await freePort();
  const started = spawnService(service, { LOG_LEVEL: 'warn', ...env, ADMIN_PORT: String(adminPort) });
  endWithUs(started.child);
  const admin = `http://127.0.0.1:${adminPort}`;
  await untilUp(started, `the ${service} service is ready`, async () => (await fetch(`${admin}/health/ready`)).ok);
  return { admin, process: started };
}

/** A program of this folder that listens on PORT; resolves when it does. */
export async function startPeer(program: string, env: Record<string, string>): Promise<Contender> {
  const port = await freePort();
  const child = spawn(process.execPath, ['--disable-warning=TimeoutNegativeWarning', join(import.meta.dirname, program)], {
    env: { ...process.env, ...env, PORT: String(port), NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  endWithUs(child);
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  await untilUp({ exited, log: () => '' }, `${program} listens`, async () => {
    const connection = new Connection(port);
    await connection.send(get('/'));
    connection.close();
    return true;
  });
  return {
    port,
    pid: child.pid as number,
    stop: async () => {
      child.kill();
      await exited;
    },
  };
}

async function untilUp({ exited, log }: Pick<ServiceProcess, 'exited' | 'log'>, what: string, probe: () => Promise<boolean>): Promise<void> {
  let ended = false;
  void exited.then(() => {
    ended = true;
  });
  await eventually(what, async () => {
    if (ended) throw new Error(`${what}: it has ended\n${log()}`);
    return probe().catch(() => false);
  });
}

async function stopped(service: ServiceProcess): Promise<void> {
  await service.end();
}

/** The value of a metric, all its labels added up. */
export async function metric(admin: string, name: string): Promise<number> {
  const text = await (await fetch(`${admin}/metrics`)).text();
  const values = [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].map(([, value]) => Number(value));
  return values.reduce((sum, value) => sum + value, 0);
}
