import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Log } from '@vitrine/runtime/log';
import { type Readiness, runService, startAdminServer } from '@vitrine/runtime/service';
import { Gauge, Registry } from 'prom-client';
import { listening, startFeedServer } from '../feed-server.ts';
import { type QueryService, startQueryService } from '../service.ts';
import { readQuerySettings } from '../settings.ts';
import { RestartDelay, STOP, stopWorker, WorkerHealth } from './worker-health.ts';
import { sendMetricsOnRequest, WorkerMetrics } from './worker-metrics.ts';

const REPORT_EVERY_MS = 500;
/**
 * This time is longer than a process needs to finish its requests, and shorter than `runService`'s time
 * limit.
 */
const STOP_WITHIN_MS = 15_000;

/**
 * Runs the query service in this process. If PROCESSES > 1, runs it in that number of workers instead. This
 * process then serves health and metrics for all workers, and replaces workers that end or freeze.
 */
export async function runQueryService(log: Log): Promise<void> {
  // All processes log to the same output, so a worker's log lines contain its process id.
  if (cluster.isWorker) return runService(log, () => startWorker(log.child({ pid: process.pid })));
  await runService(log, async () => {
    const { processes } = readQuerySettings(process.env);
    return processes === 1 ? startQueryService(process.env, log) : startWorkers(log, processes);
  });
}

/**
 * Starts `count` workers on one port. They share the listening socket, so each worker accepts its own
 * connections (docs/decisions/0057-shared-socket.md).
 * @throws SettingsError; Error if the admin port is in use, or a worker cannot start
 */
async function startWorkers(log: Log, count: number): Promise<QueryService> {
  const settings = readQuerySettings(process.env);
  log.level = settings.logLevel;
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const health = new WorkerHealth<Worker>();
  const collected = new WorkerMetrics();
  const own = primaryMetrics(health);
  const metrics = {
    contentType: own.contentType,
    metrics: async () => (await collected.collect(health.inState('responding'))) + (await own.metrics()),
  };
  const admin = await listening(
    'ADMIN_PORT',
    startAdminServer(settings.adminPort, metrics, () => health.readiness()),
  );
  const restarts = new RestartDelay();
  let stopping = false;

  const start = (): Worker => {
    const worker = cluster.fork();
    const startedAt = performance.now();
    health.started(worker);
    worker.on('message', (message: { readiness?: Readiness }) => {
      if (message.readiness) health.reported(worker, message.readiness);
    });
    worker.once('exit', (code, signal) => {
      health.ended(worker);
      collected.ended(worker);
      if (stopping) return;
      const delayMs = restarts.delayAfter(performance.now() - startedAt);
      log.error(
        { pid: worker.process.pid, code, signal, delayMs },
        'a process exited; a new one replaces it',
      );
      setTimeout(() => stopping || start(), delayMs);
    });
    return worker;
  };
  const check = () => {
    for (const { worker, change, silentMs } of health.check()) {
      const line = { pid: worker.process.pid, silentMs: Math.round(silentMs) };
      if (change === 'responds again') log.info(line, 'a process is responding again');
      else if (change === 'frozen') log.warn(line, 'a process does not respond');
      else {
        log.error(line, 'killing a process that does not respond');
        worker.process.kill('SIGKILL');
      }
    }
  };
  const checks = setInterval(check, REPORT_EVERY_MS);
  const stop = async () => {
    stopping = true;
    clearInterval(checks);
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    const late = setTimeout(
      () => workers.forEach((worker) => void worker.process.kill('SIGKILL')),
      STOP_WITHIN_MS,
    );
    await Promise.all(workers.map(stopWorker));
    clearTimeout(late);
    await admin.close();
  };

  try {
    const ports = await Promise.all(Array.from({ length: count }, start).map(listeningPort));
    const [port = settings.port] = ports;
    log.info(
      { port, basePath: settings.basePath, adminPort: admin.port, processes: count },
      'the feeds are served',
    );
    return { port, adminPort: admin.port, failed: new Promise(() => undefined), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Creates the metrics that only the first process knows. */
function primaryMetrics(health: WorkerHealth<Worker>): Registry {
  const registry = new Registry();
  new Gauge({
    name: 'service_ready',
    help: 'Result of /health/ready: 1 = ready',
    labelNames: ['service'],
    registers: [registry],
    collect() {
      this.set({ service: 'query' }, Number(health.readiness().ready));
    },
  });
  // The sum over the workers omits this metric, but an alert uses it to count the service's restarts.
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'Start time of the process since unix epoch in seconds.',
    registers: [registry],
  }).set(Math.round(performance.timeOrigin / 1_000));
  new Gauge({
    name: 'query_processes',
    help: 'Processes that serve the feeds',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const state of ['starting', 'responding', 'frozen'] as const)
        this.set({ state }, health.inState(state).length);
    },
  });
  return registry;
}

/**
 * Waits until `worker` serves the feeds. @returns its port
 * @throws Error if the worker ends before it serves the feeds. The worker's log contains the reason.
 */
async function listeningPort(worker: Worker): Promise<number> {
  const exited = once(worker, 'exit').then(() =>
    Promise.reject(new Error('a worker process ended during its start. Its log contains the reason')),
  );
  const [address] = (await Promise.race([once(worker, 'listening'), exited])) as [{ port: number }];
  exited.catch(() => undefined);
  return address.port;
}

async function startWorker(log: Log): ReturnType<typeof startFeedServer> {
  const settings = readQuerySettings(process.env);
  log.level = settings.logLevel;
  let signalled = false;
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => (signalled = true));
  // A terminal sends its signal to all processes, and the first process also sends STOP. Only one of the two
  // may have an effect, because a second signal would end this process immediately.
  process.on('message', (message) => message === STOP && !signalled && process.kill(process.pid, 'SIGTERM'));
  const feeds = await startFeedServer(settings, log);
  sendMetricsOnRequest(feeds.registry);
  const report = () => void (process.connected && process.send?.({ readiness: feeds.readiness() }));
  setInterval(report, REPORT_EVERY_MS).unref();
  report();
  return feeds;
}
