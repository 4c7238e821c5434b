import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { type Log, type Readiness, runService, startAdminServer } from '@vitrine/runtime';
import { AggregatorRegistry } from 'prom-client';
import { Restarts } from './process-restarts.ts';
import { listening, type QueryService, startFeeds, startQueryService } from './service.ts';
import { readQuerySettings } from './settings.ts';

const REPORT_EVERY_MS = 500;
/** More than a process takes to let its requests end, less than `runService` waits. */
const STOP_WITHIN_MS = 15_000;
const STOP = 'stop';

/**
 * Runs the query service as the process that was started: alone, or as the first of PROCESSES + 1,
 * which then serves health and metrics of all, and starts again those that end.
 */
export async function runQueryService(log: Log): Promise<void> {
  // Lines of several processes share one output.
  if (cluster.isWorker) return runService(log, () => startOneOfSeveral(log.child({ pid: process.pid })));
  await runService(log, async () => {
    const { processes } = readQuerySettings(process.env);
    return processes === 1 ? startQueryService(process.env, log) : startSeveral(log, processes);
  });
}

/**
 * Starts so many processes on one port.
 * @throws SettingsError; Error when the admin port is taken, or a process cannot start
 */
async function startSeveral(log: Log, count: number): Promise<QueryService> {
  const settings = readQuerySettings(process.env);
  log.level = settings.logLevel;
  const readiness = new Map<Worker, Readiness>();
  const registry = new AggregatorRegistry();
  const metrics = { contentType: registry.contentType, metrics: () => registry.clusterMetrics() };
  const admin = await listening(
    'ADMIN_PORT',
    startAdminServer(settings.adminPort, metrics, () => together([...readiness.values()])),
  );
  const restarts = new Restarts();
  let stopping = false;

  const start = (): Worker => {
    const worker = cluster.fork();
    const startedAt = performance.now();
    worker.on('message', (message: { readiness?: Readiness }) => {
      if (message.readiness) readiness.set(worker, message.readiness);
    });
    worker.once('exit', (code, signal) => {
      readiness.delete(worker);
      if (stopping) return;
      const delayMs = restarts.delayAfter(performance.now() - startedAt);
      log.error({ pid: worker.process.pid, code, signal, delayMs }, 'a process ended, another takes its place');
      setTimeout(() => stopping || start(), delayMs);
    });
    return worker;
  };
  const stop = async () => {
    stopping = true;
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    const late = setTimeout(() => workers.forEach((worker) => void worker.process.kill('SIGKILL')), STOP_WITHIN_MS);
    await Promise.all(workers.map(ended));
    clearTimeout(late);
    await admin.close();
  };

  try {
    const ports = await Promise.all(Array.from({ length: count }, start).map(servedPort));
    const [port = settings.port] = ports;
    log.info({ port, basePath: settings.basePath, adminPort: admin.port, processes: count }, 'the feeds are served');
    return { port, adminPort: admin.port, failed: new Promise(() => undefined), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The port once `worker` serves. @throws when it ends before that: its own log says why */
async function servedPort(worker: Worker): Promise<number> {
  const exited = once(worker, 'exit').then(() => Promise.reject(new Error('a process of the service could not start')));
  const [address] = (await Promise.race([once(worker, 'listening'), exited])) as [{ port: number }];
  exited.catch(() => undefined);
  return address.port;
}

/** Asks `worker` to stop, and waits for its end. */
async function ended(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const exited = once(worker, 'exit');
  if (worker.isConnected()) worker.send(STOP);
  await exited;
}

/** Ready while one of them is: the others' connections go to it. */
function together(states: Readiness[]): Readiness {
  if (states.length === 0) return { ready: false, reasons: ['no process serves'] };
  return { ready: states.some(({ ready }) => ready), reasons: [...new Set(states.flatMap(({ reasons }) => reasons))] };
}

async function startOneOfSeveral(log: Log): ReturnType<typeof startFeeds> {
  const settings = readQuerySettings(process.env);
  log.level = settings.logLevel;
  let signalled = false;
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => (signalled = true));
  // A terminal signals all processes, the first process tells us too: a second signal would end us at once.
  process.on('message', (message) => message === STOP && !signalled && process.kill(process.pid, 'SIGTERM'));
  const feeds = await startFeeds(settings, log);
  // Answers the first process when it collects.
  new AggregatorRegistry();
  AggregatorRegistry.setRegistries(feeds.registry);
  const report = () => void (process.connected && process.send?.({ readiness: feeds.readiness() }));
  setInterval(report, REPORT_EVERY_MS).unref();
  report();
  return feeds;
}
