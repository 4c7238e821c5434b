import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type EngineControl, type Engines, startEngines } from '@vitrine/engines';
import { freePorts } from '@vitrine/engines/testing';
import { createDeployment, type Deployment } from '../../support/deployment.ts';
import { type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts';
import { canRun, FollowerProgram } from '../../support/follower-program.ts';
import { createSourceTopic, ingestEnv, type SourceTopic } from '../../support/ingest.ts';
import type { Ledger } from '../checks/ledger.ts';
import { type FaultName, SERVICES } from '../plan/fault-kinds.ts';
import type { Exit } from '../plan/windows.ts';
import { ServiceSlot } from './service-slot.ts';

/** A feed date before all dates of the market, so that the feed contains the whole calendars. */
const WHOLE_CALENDARS = { FEED_TODAY: '2026-11-20', AVAILABILITY_HORIZON_DAYS: '1096' };
const PARTITIONS = 4;
/** The ingest's mapping, and the first part of the name of its topic. */
const [MAPPING, ROWS_TOPIC_PREFIX] = ['infra/kubernetes/example/ingest/mapping.ts', 'marketplace'];
const START_WITHIN_MS = 120_000;

/** An exit of a service that no fault ordered. */
export interface ServiceExit {
  /** The name of the service. */
  readonly service: string;
  readonly what: string;
  /** The fault that permits the exit. Absent if the exit is a violation. */
  readonly permittedBy?: FaultName;
}

/** The system under test, with real engines and processes. */
export interface SoakSystem {
  readonly kafka: EngineControl;
  readonly elasticsearch: EngineControl;
  readonly deployment: Deployment;
  /** The proxy between the projectors and Elasticsearch. */
  readonly writes: FaultProxy;
  /** The proxy between the query services and Elasticsearch. */
  readonly reads: FaultProxy;
  readonly projectors: readonly ServiceSlot[];
  /** The ingest services, which publish the marketplace's rows as events. */
  readonly ingests: readonly ServiceSlot[];
  readonly rowsTopic: SourceTopic;
  readonly queries: readonly (ServiceSlot & { readonly origin: string })[];
  readonly followers: readonly FollowerProgram[];
  /** Exits that no fault ordered. The ledger judges only those after the start. */
  readonly exits: readonly ServiceExit[];
  /** Starts another projector, which the caller stops. */
  startThirdProjector(): ServiceSlot;
  stop(): Promise<void>;
}

class QuerySlot extends ServiceSlot {
  readonly origin: string;
  constructor(options: ConstructorParameters<typeof ServiceSlot>[0], port: number) {
    // All followers share one address, and one client may use half of the places.
    super({ ...options, env: { ...options.env, PORT: String(port), EXPORT_CONCURRENCY: '16' } });
    this.origin = `http://127.0.0.1:${port}`;
  }
}

export interface SystemOptions {
  /** The folder for the logs of the services. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly ledger: () => Ledger | undefined;
  tell(message: string): void;
}

/**
 * Starts engines, two projectors, an ingest and two query services. A failed start stops everything that it
 * has started.
 */
export async function startSystem({ folder, signal, ledger, tell }: SystemOptions): Promise<SoakSystem> {
  await mkdir(folder, { recursive: true });
  const engines = await startEngines({
    // The soak restarts its engines, so it never uses engines that the environment names.
    env: { ...process.env, KAFKA_BROKERS: '', ELASTICSEARCH_URL: '' },
    onProgress: tell,
    signal,
  });
  const closing: (() => Promise<unknown>)[] = [() => engines.stop()];
  const stop = async () => {
    // The services stop while the engines still run, and the engines stop last.
    for (const close of closing.toReversed()) await close().catch((error: Error) => tell(error.message));
    closing.length = 0;
  };
  try {
    return { ...(await startServices(engines, closing, { folder, ledger })), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startServices(
  engines: Engines,
  closing: (() => Promise<unknown>)[],
  { folder, ledger }: Pick<SystemOptions, 'folder' | 'ledger'>,
): Promise<Omit<SoakSystem, 'stop'>> {
  const { kafka, elasticsearch, settings } = engines;
  if (!kafka || !elasticsearch) throw new Error('the soak needs engines that it can restart');
  const deployment = await createDeployment('soak', PARTITIONS, {}, settings);
  closing.push(
    () => deployment.client.close(),
    () => deployment.admin.disconnect(),
  );
  const [writes, reads] = await Promise.all([
    startFaultProxy(settings.ELASTICSEARCH_URL),
    startFaultProxy(settings.ELASTICSEARCH_URL),
  ]);
  closing.push(
    () => writes.close(),
    () => reads.close(),
  );
  const exits: ServiceExit[] = [];
  const onUnexpectedExit = (exit: Exit, what: string) => {
    const permittedBy = ledger()?.recordExit(exit, what);
    exits.push({ service: `${exit.of} ${exit.number}`, what, ...(permittedBy && { permittedBy }) });
  };
  const [thirdPort = 0, ...ports] = await freePorts(3 * SERVICES + 2);
  const slot = (
    script: 'projector' | 'ingest' | 'query',
    number: number,
    url: string,
    adminPort = ports.pop() as number,
  ) => ({
    script,
    number,
    env: { ...deployment.env, ...WHOLE_CALENDARS, LOG_LEVEL: 'info', ELASTICSEARCH_URL: url },
    adminPort,
    logFile: join(folder, `${script}-${number}.log`),
    onUnexpectedExit,
  });
  const numbers = Array.from({ length: SERVICES }, (_, i) => i + 1);
  const projectors = numbers.map((number) => new ServiceSlot(slot('projector', number, writes.url)));
  closing.push(() => Promise.all(projectors.map((projector) => projector.stop())));
  await Promise.all(projectors.map((projector) => projector.becomesReady(START_WITHIN_MS)));
  const rowsTopic = await createSourceTopic(
    { ...deployment, prefix: ROWS_TOPIC_PREFIX },
    'listings',
    PARTITIONS,
  );
  const ingest = slot('ingest', 1, settings.ELASTICSEARCH_URL);
  const ingestGroup = ingestEnv(deployment);
  const ingests = [new ServiceSlot({ ...ingest, env: { ...ingest.env, ...ingestGroup, MAPPING } })];
  closing.push(() => Promise.all(ingests.map((one) => one.stop())));
  await Promise.all(ingests.map((one) => one.becomesReady(START_WITHIN_MS)));
  const queries = numbers.map(
    (number) => new QuerySlot(slot('query', number, reads.url), ports.pop() as number),
  );
  closing.push(() => Promise.all(queries.map((query) => query.stop())));
  await Promise.all(queries.map((query) => query.becomesReady(START_WITHIN_MS)));
  const programs = (['follow.ts', 'follow.py'] as const).filter(canRun);
  const followers = numbers.map(
    (_, i) => new FollowerProgram(programs[i % programs.length] ?? 'follow.ts', `${queries[i]?.origin}/api`),
  );
  closing.push(() => Promise.all(followers.map((follower) => follower.close())));
  return {
    kafka,
    elasticsearch,
    deployment,
    writes,
    reads,
    projectors,
    ingests,
    rowsTopic,
    queries,
    followers,
    exits,
    startThirdProjector: () => new ServiceSlot(slot('projector', SERVICES + 1, writes.url, thirdPort)),
  };
}
