import { setTimeout as sleep } from 'node:timers/promises';
import { readRoles } from '@vitrine/projection/generations';
import type { Deployment } from '../../support/deployment.ts';

const WITHIN_MS = 4_000;

/** The number of records that the live generation has not read. Undefined while an engine is away. */
export async function readLag(deployment: Deployment): Promise<number | undefined> {
  const late = sleep(WITHIN_MS, undefined, { ref: false });
  return Promise.race([lagOf(deployment), late]).catch(() => undefined);
}

async function lagOf({ client, prefix, admin, topic }: Deployment): Promise<number> {
  const { live } = await readRoles(client, prefix, AbortSignal.timeout(WITHIN_MS));
  const [ends, [group]] = await Promise.all([
    admin.fetchTopicOffsets(topic),
    admin.fetchOffsets({ groupId: `${prefix}-group-${live}`, topics: [topic] }),
  ]);
  const committed = new Map(group?.partitions.map(({ partition, offset }) => [partition, Number(offset)]));
  const unread = ends.map(({ partition, high }) => Number(high) - Math.max(0, committed.get(partition) ?? 0));
  return unread.reduce((sum, records) => sum + records, 0);
}
