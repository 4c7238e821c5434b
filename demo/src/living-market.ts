/**
 * The program of the demo container: serves the marketplace's website, publishes the demo listings, then one change
 * per second until SIGTERM.
 */
import { dateInSaoPaulo } from '@vitrine/fixtures';
import { checkKafka, createKafka, kafkaConnection, kafkaSettings, topicSettings } from '@vitrine/kafka';
import { createLog } from '@vitrine/runtime/log';
import { endOnSignals, InterruptedError } from '@vitrine/runtime/processes';
import { readSettings, SettingsError } from '@vitrine/runtime/settings';
import { Type } from 'typebox';
import { startSite } from './marketplace-site/site-server.ts';
import { openDemo } from './open-demo.ts';
import { abortable, runTrickle } from './trickle.ts';

const FAILED = 1;
/** Docker keeps every line, so the counts appear less often than on a terminal. */
const COUNTS_EVERY_MS = 30_000;
/** The port inside the container. */
const SITE_PORT = 8092;

const schema = Type.Object({
  ...kafkaSettings,
  ...topicSettings,
  /** Base URL of the feeds, without a trailing slash. The demo reads the counts of the feed there. */
  FEEDS_URL: Type.String({ default: 'http://localhost:8080/api' }),
  /** The origins at which a browser reaches the marketplace's website and the explorer. */
  SITE_URL: Type.String({ default: 'http://localhost:8092' }),
  EXPLORER_URL: Type.String({ default: 'http://localhost:8080/' }),
});

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
  const { FEEDS_URL: feedsUrl, EXPLORER_URL: explorerUrl } = settings;
  opened.defer(await startSite({ port: SITE_PORT, feedsUrl, explorerUrl }));
  const demo = await abortable(openDemo(kafka, target, opened), signal);
  await abortable(demo.publisher.publish(demo.data.events, undefined, signal), signal);
  console.log(
    `${demo.data.listings.length} demo listings published in ${demo.data.events.length} events. ` +
      `${demo.data.complete} of them are complete.`,
  );
  let shownAt = Number.NEGATIVE_INFINITY;
  return runTrickle({
    source: demo,
    feedsUrl,
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
  await publishUntil(ending.signal, opened);
} catch (error) {
  if (!(error instanceof InterruptedError)) {
    console.error(error instanceof SettingsError ? error.message : `The demo failed: ${String(error)}`);
    process.exitCode = FAILED;
  }
}
await opened.disposeAsync();
// A client library's timer must not delay the exit.
process.exit();
