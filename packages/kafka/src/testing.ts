import { once } from 'node:events';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { createLog } from '@vitrine/runtime/log';
import { createKafkaJs } from './client.ts';
import type { KafkaConnection } from './connection.ts';

/**
 * Returns the checksum of a record batch (CRC-32C), for tests that build batches which kafkajs cannot write.
 */
export const crc32c = createRequire(import.meta.url)('kafkajs/src/protocol/recordBatch/crc32C/index.js') as (
  bytes: Buffer,
) => number;

const LEAVE_GROUP = 13;
/** The error code follows the correlation id and the throttle time. */
const ERROR_AT = 8;

/**
 * Removes all members of a group, as Kafka does after the session timeout of 10 seconds. With this function,
 * a test that has killed the members need not wait for this timeout. The connection must have one broker, and
 * must use neither TLS nor authentication.
 * @throws Error if Kafka refuses the request
 */
export async function removeMembers(connection: KafkaConnection, groupId: string): Promise<void> {
  const admin = createKafkaJs(connection, createLog('test', 'silent')).admin();
  await admin.connect();
  try {
    const { groups } = await admin.describeGroups([groupId]);
    for (const { memberId } of groups[0]?.members ?? [])
      await leaveGroup(connection.brokers, groupId, memberId);
  } finally {
    await admin.disconnect();
  }
}

/** Sends a LeaveGroup request in version 1 (https://kafka.apache.org/protocol) for another member. */
async function leaveGroup(broker: string, groupId: string, memberId: string): Promise<void> {
  const [, host = '', port] = /^(.+):(\d+)$/.exec(broker) ?? [];
  const socket = connect(Number(port), host);
  try {
    const head = Buffer.alloc(8);
    head.writeInt16BE(LEAVE_GROUP, 0);
    head.writeInt16BE(1, 2);
    socket.write(sized(4, Buffer.concat([head, text('vitrine-test'), text(groupId), text(memberId)])));
    let answer = Buffer.alloc(0);
    while (answer.length < 4 || answer.length < 4 + answer.readInt32BE(0))
      answer = Buffer.concat([answer, ((await once(socket, 'data')) as [Buffer])[0]]);
    const error = answer.readInt16BE(4 + ERROR_AT);
    if (error !== 0) throw new Error(`Kafka refused to remove a member of ${groupId}: error ${error}`);
  } finally {
    socket.destroy();
  }
}

const text = (value: string): Buffer => sized(2, Buffer.from(value));

/** Prepends the number of bytes, as an integer of 2 or 4 bytes. */
function sized(size: 2 | 4, bytes: Buffer): Buffer {
  const length = Buffer.alloc(size);
  length.writeIntBE(bytes.length, 0, size);
  return Buffer.concat([length, bytes]);
}
