import { randomUUID } from 'node:crypto';
import {
  type FetchedRecord,
  type KafkaAdmin,
  kafkaConnection,
  readRange,
  type ScanProgress,
  type TopicRange,
  type UnreadableRecord,
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
 * @param onUnreadable receives each batch that cannot be read
 * @throws the errors from `readRange`
 */
export const readRecords = (
  { admin, log, settings, signal }: RecordReading,
  topic: string,
  range: TopicRange,
  onRecord: (record: FetchedRecord) => Promise<void> | void,
  onProgress?: (progress: ScanProgress) => void,
  onUnreadable?: (unreadable: UnreadableRecord) => void,
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
    onProgress,
    ...(onUnreadable && { onUnreadable }),
  });
