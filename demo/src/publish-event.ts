/** `npm run publish-event`: see docs/start/publish-an-event.md. */
import { readFileSync } from 'node:fs';
import { checkKafka, createKafka, kafkaConnection, kafkaSettings, topicSettings } from '@vitrine/kafka';
import { createLog } from '@vitrine/runtime/log';
import { operatorPath } from '@vitrine/runtime/operator-path';
import { readSettings, SettingsError } from '@vitrine/runtime/settings';
import { Type } from 'typebox';
import { readEvents } from './event-input.ts';

const HELP = `npm run publish-event [-- FILE]

Publishes listing events to Kafka. Reads FILE or standard input: one event as JSON, an array of events,
or one event per line. Checks every event first, and publishes none if one is invalid.

  KAFKA_BROKERS           the brokers, host:port, comma-separated (npm start prints the line to copy)
  LISTING_EVENTS_TOPIC    the topic, by default marketplace.listing-events
`;

const FAILED = 1;
const USAGE_ERROR = 2;
const STANDARD_INPUT = 0;

/** @returns the exit code */
async function publish(file: string | undefined): Promise<number> {
  const settings = readSettings(Type.Object({ ...kafkaSettings, ...topicSettings }), process.env, checkKafka);
  const input = readEvents(
    readFileSync(file === undefined ? STANDARD_INPUT : operatorPath(process.env, file), 'utf8'),
  );
  if ('faults' in input) {
    for (const fault of input.faults) console.error(fault);
    return FAILED;
  }
  const topic = settings.LISTING_EVENTS_TOPIC;
  const producer = createKafka(kafkaConnection(settings), createLog('publish-event', 'silent')).producer();
  await producer.connect();
  try {
    await producer.send({ topic, messages: input.messages });
  } finally {
    await producer.disconnect();
  }
  for (const line of input.lines) console.log(`Published to ${topic}: ${line}`);
  return 0;
}

const [file, ...more] = process.argv.slice(2);
if (file === '--help' || file === '-h') console.log(HELP);
else if (more.length > 0 || (file?.startsWith('-') && file !== '-')) {
  console.error(HELP);
  process.exitCode = USAGE_ERROR;
} else {
  process.exitCode = await publish(file === '-' ? undefined : file).catch((error: Error) => {
    console.error(
      error instanceof SettingsError ? error.message : `The events were not published: ${error.message}`,
    );
    return FAILED;
  });
}
