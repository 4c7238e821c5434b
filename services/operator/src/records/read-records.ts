import { randomUUID } from 'node:crypto';
import {
  type FetchedRecord,
  type KafkaAdmin,
  kafkaConnection,
  type RangeOptions,
  readRange,
  type TopicRange,
} from '@vitrine/kafka';
import type { ProjectorSettings } from '@vitrine/projection/settings';
import type { Log } from '@vitrine/runtime/log';

/** The part of a command's context that reads records. It needs no Elasticsearch. */
export interface RecordReading {
  admin: KafkaAdmin;
  log: Log;
  settings: Parameters<typeof kafkaConnection>[0] & Pick<ProjectorSettings, 'CONSUMER_GROUP'>;
  signal: AbortSignal;
}

/**
 * Reads the records in a range for a command, with a temporary group whose name the command's permissions
 * cover.
 * @throws the errors from `readRange`
 */
export const readRecords = (
  { admin, log, settings, signal }: RecordReading,
  topic: string,
  range: TopicRange,
  onRecord: (record: FetchedRecord) => Promise<void> | void,
  options: Pick<RangeOptions, 'onProgress' | 'onUnreadable' | 'readUncommitted'> = {},
): Promise<void> =>
  readRange({
    kafka: kafkaConnection(settings),
    admin,
    log,
    groupId: `${settings.CONSUMER_GROUP}-cli-${randomUUID()}`,
    topic,
    range,
    signal,
    onRecord,
    ...options,
  });
