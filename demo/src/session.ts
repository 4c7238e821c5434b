import { setTimeout as sleep } from 'node:timers/promises';
import { startEngines } from '@vitrine/engines';
import { createKafka, type KafkaClient } from '@vitrine/kafka';
import { createLog } from '@vitrine/runtime/log';
import { ProcessSupervisor } from '@vitrine/runtime/processes';
import { ensureEventsTopic } from './events-topic.ts';
import { type FeedGlance, glanceAtFeed, isReady } from './feed-client.ts';
import { greetingLines } from './greeting.ts';
import { type Demo, openDemo } from './open-demo.ts';
import { assertFree, type NeededPort, projectorPorts, queryPorts } from './ports.ts';
import type { Screen } from './screen.ts';
import {
  canStartConsole,
  type ServiceDiedError,
  startConsoleChild,
  startServiceChild,
} from './service-child.ts';
import { type DemoSettings, demoKafka } from './settings.ts';
import { runSteps, type Step } from './steps.ts';
import { abortable, runTrickle } from './trickle.ts';

export interface SessionOptions {
  settings: DemoSettings;
  env: NodeJS.ProcessEnv;
  /** Whether to publish even to a topic that already holds records. */
  forceDemo: boolean;
  screen: Screen;
  /** Ends the session when the signal aborts. A service that dies also ends the session. */
  ending: AbortController;
}

interface Started {
  demo: Demo | undefined;
  hasConsole: boolean;
  /** The settings with which other processes reach the engines. */
  engines: Record<string, string>;
}

const LOOK_EVERY_MS = 300;

/**
 * The composition root of `npm start`: starts everything, prints the addresses, and publishes changes until
 * `ending` aborts. Rejects with the reason when all started processes are gone.
 */
export async function runSession(options: SessionOptions): Promise<never> {
  const started = new AsyncDisposableStack();
  try {
    const { demo, hasConsole, engines } = await start(options, started);
    const { settings, screen, ending } = options;
    for (const line of greetingLines(settings, { hasDemo: demo !== undefined, hasConsole, engines }))
      screen.line(line);
    return await runTrickle({
      source: demo,
      feedsUrl: settings.feedsUrl,
      show: (status) => screen.status(status),
      signal: ending.signal,
    });
  } finally {
    options.screen.keepStatus();
    options.screen.line('Stopping …');
    await started.disposeAsync();
  }
}

async function start(
  { settings, env, forceDemo, screen, ending }: SessionOptions,
  started: AsyncDisposableStack,
): Promise<Started> {
  const { signal } = ending;
  let engineSettings: Record<string, string> = {};
  let kafka: KafkaClient | undefined;
  let demo: Demo | undefined;
  let hasConsole = false;
  const began = performance.now();
  const elapsed = () => `${((performance.now() - began) / 1000).toFixed(1)} s`;

  const steps: Step[] = [
    {
      title: 'Kafka and Elasticsearch',
      run: async (report) => {
        const engines = await startEngines({ env, onProgress: report.line, signal });
        started.defer(() => engines.stop());
        engineSettings = { ...engines.settings };
        kafka = createKafka(demoKafka({ ...env, ...engineSettings }), createLog('demo', 'silent'));
        return (
          `Kafka at ${engines.settings.KAFKA_BROKERS}, Elasticsearch at ` +
          `${engines.settings.ELASTICSEARCH_URL}`
        );
      },
    },
    {
      title: `Topic ${settings.topic}`,
      run: async () => {
        if (!kafka) throw new Error('the step that starts Kafka must run first');
        const state = await abortable(prepareTopic(kafka, settings.topic), signal);
        if (state !== 'in use' || forceDemo)
          demo = await abortable(openDemo(kafka, settings, started), signal);
        hasConsole = await canStartConsole(settings);
        launchServices({ ...env, ...engineSettings }, settings, hasConsole, screen, ending, started);
        if (demo) return `Topic ${settings.topic}: ${state}`;
        return (
          `Topic ${settings.topic} already holds records, so no demo listings are published (\`npm ` +
          `start -- --demo\` publishes them)`
        );
      },
    },
    {
      title: 'Demo listings',
      run: async (report) => {
        if (!demo) return 'No demo listings';
        const { data, publisher } = demo;
        const publishing = publisher.publish(
          data.events,
          () => report.progress(`${publisher.published} of ${data.events.length} events`),
          signal,
        );
        await abortable(publishing, signal);
        return `${data.listings.length} demo listings published in ${data.events.length} events`;
      },
    },
    {
      title: 'Projector and query service',
      run: async () => {
        await untilReady(settings.adminPort, signal);
        return `Projector and query service: ready after ${elapsed()}`;
      },
    },
    {
      title: 'Feed',
      run: async (report) => {
        const complete = demo?.data.complete ?? 0;
        const { total } = await untilFeed(settings.feedsUrl, signal, ({ total }) => {
          report.progress(`${total} of ${complete} items`);
          // Engines that the environment names may hold other listings too.
          return settings.ownEngines ? total === complete : total >= complete;
        });
        return demo ? `Feed complete: ${total} items after ${elapsed()}` : `Feed: ${total} items so far`;
      },
    },
  ];
  await runSteps(steps, screen);
  return { demo, hasConsole, engines: engineSettings };
}

async function prepareTopic(kafka: KafkaClient, topic: string) {
  const admin = kafka.admin();
  try {
    await admin.connect();
    return await ensureEventsTopic(admin, topic);
  } finally {
    await admin.disconnect();
  }
}

function launchServices(
  env: NodeJS.ProcessEnv,
  settings: DemoSettings,
  hasConsole: boolean,
  screen: Screen,
  ending: AbortController,
  started: AsyncDisposableStack,
): void {
  const { logLevel, port, adminPort, projectorAdminPort, consolePort } = settings;
  const supervisor = new ProcessSupervisor();
  started.defer(() => supervisor.end());
  const show = (line: string) => screen.line(line);
  if (hasConsole) startConsoleChild(supervisor, { env, port: consolePort, logLevel, show });
  for (const [name, admin] of [
    ['projector', projectorAdminPort],
    ['query', adminPort],
  ] as const) {
    const service = startServiceChild(supervisor, {
      name,
      env: { ...env, PORT: String(port), ADMIN_PORT: String(admin), LOG_LEVEL: logLevel },
      logLevel,
      show,
    });
    started.defer(() => service.stop());
    const ports = name === 'query' ? queryPorts(settings) : projectorPorts(settings);
    void service.died.then(async (error) => ending.abort(await reasonOfDeath(error, ports)));
  }
}

/**
 * If another process has taken a port in the meantime, the taken port explains the end of a service better
 * than its log.
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
