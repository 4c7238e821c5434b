/**
 * The program of the demo's containers. It runs until SIGTERM. If its argument is `site`, it serves the
 * marketplace's website. Otherwise, it publishes the demo listings, and then one change per second.
 */
import { dateInSaoPaulo } from '@vitrine/fixtures';
import { checkKafka, createKafka, kafkaConnection, kafkaSettings, topicSettings } from '@vitrine/kafka';
import { abortable } from '@vitrine/runtime/abortable';
import { createLog } from '@vitrine/runtime/log';
import { endOnSignals, InterruptedError } from '@vitrine/runtime/processes';
import { readSettings, SettingsError } from '@vitrine/runtime/settings';
import { Type } from 'typebox';
import { startSite } from './marketplace-site/site-server.ts';
import { openDemo } from './open-demo.ts';
import { runTrickle } from './trickle.ts';

const FAILED = 1;
/** Docker keeps every line, so the program prints the counts less often than on a terminal. */
const COUNTS_EVERY_MS = 30_000;
/** The port inside the container. */
const SITE_PORT = 8092;

const feeds = {
  /** Base URL of the feeds, without a trailing slash. */
  FEEDS_URL: Type.String({ default: 'http://localhost:8080/api' }),
};
const siteSchema = Type.Object({
  ...feeds,
  /** The address at which a browser reaches the explorer. */
  EXPLORER_URL: Type.String({ default: 'http://localhost:8080/' }),
});
const schema = Type.Object({
  ...kafkaSettings,
  ...topicSettings,
  ...feeds,
  /** The origin at which a browser reaches the marketplace's website. */
  SITE_URL: Type.String({ default: 'http://localhost:8092' }),
});

/** Rejects with the signal's reason when it aborts, or with a failure. */
async function serveUntil(signal: AbortSignal, opened: AsyncDisposableStack): Promise<never> {
  const { FEEDS_URL: feedsUrl, EXPLORER_URL: explorerUrl } = readSettings(siteSchema, process.env);
  opened.defer(await startSite({ port: SITE_PORT, feedsUrl, explorerUrl }));
  return abortable(new Promise<never>(() => undefined), signal);
}

/** Rejects with the signal's reason when it aborts, or with a failure. */
async function publishUntil(signal: AbortSignal, opened: AsyncDisposableStack): Promise<never> {
  const settings = readSettings(schema, process.env, checkKafka);
  const kafka = createKafka(kafkaConnection(settings), createLog('demo', 'silent'));
  const target = {
    topic: settings.LISTING_EVENTS_TOPIC,
    today: dateInSaoPaulo(new Date()),
    ownEngines: false,
    site: settings.SITE_URL,
  };
  const demo = await abortable(openDemo(kafka, target, opened), signal);
  await abortable(demo.publisher.publish(demo.data.events, undefined, signal), signal);
  console.log(
    `${demo.data.listings.length} demo listings published in ${demo.data.events.length} events. ` +
      `${demo.data.complete} of them are complete.`,
  );
  let shownAt = Number.NEGATIVE_INFINITY;
  return runTrickle({
    source: demo,
    feedsUrl: settings.FEEDS_URL,
    show: (status) => {
      if (performance.now() - shownAt < COUNTS_EVERY_MS) return;
      shownAt = performance.now();
      console.log(status);
    },
    signal,
  });
}

const ending = new AbortController();
endOnSignals(ending);
const opened = new AsyncDisposableStack();
try {
  await (process.argv[2] === 'site' ? serveUntil : publishUntil)(ending.signal, opened);
} catch (error) {
  if (!(error instanceof InterruptedError)) {
    console.error(error instanceof SettingsError ? error.message : `The demo failed: ${String(error)}`);
    process.exitCode = FAILED;
  }
}
await opened.disposeAsync();
// A client library's timer must not delay the exit.
process.exit();
