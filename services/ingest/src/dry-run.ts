import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import {
  createKafka,
  type FetchedRecord,
  type KafkaAdmin,
  kafkaConnection,
  rangeOf,
  readRange,
  type UnreadableRecord,
} from '@vitrine/kafka';
import type { Log } from '@vitrine/runtime/log';
import { ProcessSupervisor } from '@vitrine/runtime/processes';
import { decodeContent, UNDECODABLE } from './decode-content.ts';
import { createDecoder } from './formats/create-decoder.ts';
import type { Decoder } from './formats/format.ts';
import { composeMessages } from './map-record.ts';
import type { Mapping } from './mapping.ts';
import type { IngestSettings } from './settings.ts';

interface DryRunOptions {
  /** Prints the summary as JSON. */
  json: boolean;
  /** A file for all findings. */
  report?: string | undefined;
}

const COMMAND_LINE = join(import.meta.dirname, '../../operator/src/cli/main.ts');

/**
 * Maps all records that the source topics hold now, and lets the command `check` judge the events. It
 * publishes nothing and commits nothing. Services never import each other, so the events reach the command
 * through its standard input (docs/decisions/0110).
 * @returns the exit code of `check`: 0 if all events are valid, 3 if a record would become a dead letter
 * @throws Error if no source topic exists; KafkaError; MissingTopicError; DecoderUnavailableError
 */
export async function dryRun(
  settings: IngestSettings,
  mapping: Mapping,
  log: Log,
  { json, report }: DryRunOptions,
): Promise<number> {
  const decoder = createDecoder(mapping.format, settings, 0);
  const admin = createKafka(kafkaConnection(settings), log).admin();
  const topics = await connectedTopics(admin, mapping).catch(async (error: unknown) => {
    await admin.disconnect();
    throw error;
  });
  const supervisor = new ProcessSupervisor();
  const options = [...(json ? ['--json'] : []), ...(report === undefined ? [] : ['--report', report])];
  const check = supervisor.spawn(process.execPath, [COMMAND_LINE, 'check', '-', '--mapped', ...options], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  const input = check.child.stdin as Writable;
  // The command may end before it has read everything, for example because it cannot write its report.
  input.on('error', () => undefined);
  try {
    for (const topic of topics)
      await readTopic({ settings, admin, log }, topic, (record) => linesOf(mapping, decoder, record), input);
    input.end();
    return (await check.exited).code ?? 1;
  } finally {
    await check.stop(0);
    await decoder.close?.();
    await admin.disconnect();
  }
}

/**
 * Connects, and returns the source topics that exist. Debezium creates a topic only with the first row of the
 * table, so a missing topic is not an error unless nothing is left to map.
 * @throws Error if no topic exists; KafkaError
 */
async function connectedTopics(admin: KafkaAdmin, { topics }: Mapping): Promise<string[]> {
  await admin.connect();
  const all = await admin.listTopics();
  const missing = topics.filter((topic) => !all.includes(topic));
  const message = missing.map((topic) => `the topic ${topic} does not exist`).join('\n');
  if (missing.length === topics.length) throw new Error(message);
  if (missing.length > 0) process.stderr.write(`${message}\n`);
  return topics.filter((topic) => all.includes(topic));
}

async function readTopic(
  { settings, admin, log }: { settings: IngestSettings; admin: KafkaAdmin; log: Log },
  topic: string,
  map: (record: FetchedRecord) => Promise<object[]>,
  output: Writable,
): Promise<void> {
  const range = await rangeOf(admin, topic);
  if (range.length === 0) process.stderr.write(`the topic ${topic} has no records\n`);
  const ended = new AbortController();
  output.once('close', () => ended.abort(new Error('check has ended')));
  const write = async (document: object) => {
    if (!output.write(`${JSON.stringify(document)}\n`))
      await once(output, 'drain', { signal: ended.signal }).catch(() => undefined);
  };
  await readRange({
    kafka: kafkaConnection(settings),
    admin,
    log,
    groupId: `${settings.INGEST_GROUP}-dry-run-${randomUUID()}`,
    topic,
    range,
    signal: ended.signal,
    onRecord: async (record) => {
      for (const line of await map(record)) await write(line);
    },
    onUnreadable: ({ record, reason, detail }: UnreadableRecord) =>
      void write({ ...positionOf(record), reason, detail }),
  });
}

/** Returns the lines for a record, in the form that `check --mapped` reads. */
async function linesOf(mapping: Mapping, decoder: Decoder, record: FetchedRecord): Promise<object[]> {
  const position = positionOf(record);
  const content = await decodeContent(decoder, record);
  if ('undecodable' in content) return [{ ...position, reason: UNDECODABLE, detail: content.undecodable }];
  const mapped = composeMessages(mapping, record, content);
  if ('reason' in mapped) return [{ ...position, ...mapped }];
  const { timestamp } = record;
  return mapped.messages.map(({ value }) => ({ ...position, timestamp, event: JSON.parse(String(value)) }));
}

const positionOf = ({ topic, partition, offset }: Pick<FetchedRecord, 'topic' | 'partition' | 'offset'>) => ({
  topic,
  partition,
  offset,
});
