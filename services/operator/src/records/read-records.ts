import { randomUUID } from 'node:crypto';
import {
  type FetchedRecord,
  kafkaConnection,
  readRange,
  type ScanProgress,
  type TopicRange,
} from '@vitrine/kafka';
import type { CommandContext } from '../command-context.ts';

/**
 * Reads the records of a range for a command, with a temporary group whose name the command's permissions
 * cover.
 * @throws the errors of `readRange`
 */
export const readRecords = (
  { admin, log, settings, signal }: CommandContext,
  topic: string,
  range: TopicRange,
  onRecord: (record: FetchedRecord) => Promise<void> | void,
  onProgress?: (progress: ScanProgress) => void,
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
  });
