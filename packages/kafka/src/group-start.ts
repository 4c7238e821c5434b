import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@vitrine/runtime/log';
import type { KafkaAdmin } from './admin.ts';
import { createKafkaJs } from './client.ts';
import type { KafkaConnection } from './connection.ts';
import { KafkaError, toKafkaError } from './errors.ts';
import { commitMetadata } from './topic-id.ts';
import { assertSameTopic, readOffsets } from './topic-offsets.ts';

interface GroupStart {
  kafka: KafkaConnection;
  admin: KafkaAdmin;
  log: Log;
  groupId: string;
  topic: string;
  /** The id of the topic to which the positions belong. It is undefined if release 1.1.0 read them. */
  topicId: string | undefined;
  /** The first offset to read in each partition. */
  positions: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

const AGAIN_MS = 250;
const MAX_ATTEMPTS = 20;
/**
 * The interval at which the paused member looks for work. This is also how soon it notices that it must end.
 */
const IDLE_MS = 100;

/**
 * Commits the start of a group that has no commits. Does not change a group that has commits. The function
 * joins the group briefly and does not use `setOffsets`, because `setOffsets` first pauses for five seconds,
 * and fails until the membership of a killed process has expired.
 * @throws RecreatedTopicError if the topic now has another id; KafkaError; the signal's reason
 */
export async function startGroupAt(start: GroupStart): Promise<void> {
  const { admin, groupId, topic, topicId, signal } = start;
  const hasStarted = async () => {
    const offsets = await readOffsets(admin, groupId, topic);
    assertSameTopic(topic, topicId, offsets);
    return offsets.some(({ committed }) => committed !== undefined);
  };
  for (let attempt = 1; !(await hasStarted()); attempt++)
    try {
      await commitAsMember(start, hasStarted);
    } catch (cause) {
      const error = toKafkaError(cause);
      // The group rebalances if another process starts it at the same time.
      if (!(error instanceof KafkaError) || attempt === MAX_ATTEMPTS) throw error;
      await sleep(AGAIN_MS, undefined, { signal });
    }
}

/**
 * Joins the group and commits. The member pauses the topic before it joins, so it never fetches and never has
 * to decode a batch.
 */
async function commitAsMember(
  { kafka, log, groupId, topic, topicId, positions, signal }: GroupStart,
  hasStarted: () => Promise<boolean>,
): Promise<void> {
  const offsets = Object.entries(positions).map(([partition, offset]) => ({
    topic,
    partition: Number(partition),
    offset,
    metadata: topicId === undefined ? '' : commitMetadata(topicId),
  }));
  const member = createKafkaJs(kafka, log).consumer({
    groupId,
    maxWaitTimeInMs: IDLE_MS,
    allowAutoTopicCreation: false,
  });
  const joined = Promise.withResolvers<void>();
  member.on('consumer.group_join', () => joined.resolve());
  member.on('consumer.crash', ({ payload }) => !payload.restart && joined.reject(payload.error));
  try {
    await member.connect();
    await member.subscribe({ topic, fromBeginning: true });
    const running = member.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      eachBatch: async () => undefined,
    });
    // kafkajs accepts this call only after the call of `run`. At this moment, `run` has not joined the group
    // yet.
    member.pause([{ topic }]);
    await Promise.all([running, joined.promise]);
    signal.throwIfAborted();
    // A process that was suspended here must not reset a group that other processes have started.
    if (!(await hasStarted())) await member.commitOffsets(offsets);
  } finally {
    await member.disconnect();
  }
}
