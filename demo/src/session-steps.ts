import { setTimeout as sleep } from 'node:timers/promises';
import { startEngines } from '@vitrine/engines';
import { createKafka, type KafkaAdmin } from '@vitrine/kafka';
import { abortable } from '@vitrine/runtime/abortable';
import { createLog } from '@vitrine/runtime/log';
import { ProcessSupervisor } from '@vitrine/runtime/processes';
import { type FeedGlance, glanceAtFeed, isReady } from './feed-client.ts';
import { startSite } from './marketplace-site/site-server.ts';
import { assertFree, type NeededPort, projectorPorts, queryPorts } from './ports.ts';
import {
  canStartConsole,
  type ServiceDiedError,
  type ServiceName,
  startConsoleChild,
  startServiceChild,
} from './service-child.ts';
import type { Session } from './session.ts';
import { demoKafka } from './settings.ts';
import type { Step } from './steps.ts';

const LOOK_EVERY_MS = 300;

/** The step that starts the engines, or uses the engines that the environment names. */
export const enginesStep = (session: Session): Step => ({
  title: 'Kafka and Elasticsearch',
  run: async (report) => {
    const { env, signal, started } = session;
    const engines = await startEngines({ env, onProgress: report.line, signal });
    started.defer(() => engines.stop());
    session.engines = { ...engines.settings };
    const kafka = createKafka(demoKafka({ ...env, ...session.engines }), createLog('demo', 'silent'));
    session.kafka = () => kafka;
    const { KAFKA_BROKERS, ELASTICSEARCH_URL } = engines.settings;
    return `Kafka at ${KAFKA_BROKERS}, Elasticsearch at ${ELASTICSEARCH_URL}`;
  },
});

/** The step that waits until the query service is ready. */
export const readyStep = ({ settings, signal, elapsed }: Session): Step => ({
  title: 'Projector and query service',
  run: async () => {
    await untilReady(settings.adminPort, signal);
    return `Projector and query service: ready after ${elapsed()}`;
  },
});

/**
 * The step that waits until the feed has all listings.
 * @param complete returns the number of complete listings; undefined if nothing was published
 */
export const feedStep = (
  { settings, signal, elapsed }: Session,
  complete: () => number | undefined,
): Step => ({
  title: 'Feed',
  run: async (report) => {
    const expected = complete() ?? 0;
    const { total } = await untilFeed(settings.feedsUrl, signal, (glance) => {
      report.progress(`${glance.total} of ${expected} items`);
      // Engines that the environment names may hold other listings too.
      return settings.ownEngines ? glance.total === expected : glance.total >= expected;
    });
    return complete() === undefined
      ? `Feed: ${total} items so far`
      : `Feed complete: ${total} items after ${elapsed()}`;
  },
});

/** Runs a task with an administrator's connection to Kafka. */
export async function withAdmin<T>(session: Session, task: (admin: KafkaAdmin) => Promise<T>): Promise<T> {
  const admin = session.kafka().admin();
  const run = async () => {
    try {
      await admin.connect();
      return await task(admin);
    } finally {
      await admin.disconnect();
    }
  };
  return abortable(run(), session.signal);
}

/** A service besides the projector and the query service. */
export interface FurtherService {
  name: ServiceName;
  env: Record<string, string>;
  ports: readonly NeededPort[];
}

/**
 * Starts the services, the marketplace's website and, if its port is free, the console. The end of a service ends
 * the session.
 */
export async function launchServices(
  session: Session,
  further: readonly FurtherService[] = [],
): Promise<void> {
  const { settings, screen, ending, started } = session;
  const { logLevel, port, adminPort, projectorAdminPort, consolePort, sitePort, site, feedsUrl } = settings;
  session.hasConsole = await canStartConsole(settings);
  started.defer(await startSite({ port: sitePort, feedsUrl, explorerUrl: new URL('/', feedsUrl).href }));
  const supervisor = new ProcessSupervisor();
  started.defer(() => supervisor.end());
  const show = (line: string) => screen.line(line);
  const env = {
    ...session.env,
    ...session.serviceEnv,
    ...session.engines,
    PORT: String(port),
    LISTING_IMAGE_ORIGINS: site,
    LOG_LEVEL: logLevel,
  };
  if (session.hasConsole) startConsoleChild(supervisor, { env, port: consolePort, logLevel, show });
  const services: FurtherService[] = [
    { name: 'projector', env: { ADMIN_PORT: String(projectorAdminPort) }, ports: projectorPorts(settings) },
    { name: 'query', env: { ADMIN_PORT: String(adminPort) }, ports: queryPorts(settings) },
    ...further,
  ];
  for (const { name, env: own, ports } of services) {
    const service = startServiceChild(supervisor, { name, env: { ...env, ...own }, logLevel, show });
    started.defer(() => service.stop());
    void service.died.then(async (error) => ending.abort(await reasonOfDeath(error, ports)));
  }
}

/**
 * If another process has taken a port in the meantime, the taken port explains why a service ended better
 * than the service's log does.
 */
export async function reasonOfDeath(error: ServiceDiedError, ports: readonly NeededPort[]): Promise<unknown> {
  return assertFree(ports).then(
    () => error,
    (taken: unknown) => taken,
  );
}

/** Waits until the query service is ready. An earlier request to the feed would log an error. */
async function untilReady(adminPort: number, signal: AbortSignal): Promise<void> {
  while (!(await abortable(isReady(adminPort), signal))) await sleep(LOOK_EVERY_MS, undefined, { signal });
}

/** Polls the feed's item counts until the feed has enough items. */
async function untilFeed(
  feedsUrl: string,
  signal: AbortSignal,
  enough: (glance: FeedGlance) => boolean,
): Promise<FeedGlance> {
  for (;;) {
    const glance = await abortable(glanceAtFeed(feedsUrl), signal);
    if (glance && enough(glance)) return glance;
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}
