import { changeNumber, generationNames } from '@vitrine/feed-index';
import { touchEntries } from '@vitrine/projection/store';
import type { Deployment, Published } from './deployment.ts';
import type { FaultProxy, Verdict } from './fault-proxy.ts';
import type { FollowerProgram } from './follower-program.ts';
import { eventually } from './service-process.ts';

const WITHIN_MS = 60_000;

/**
 * Publishes an event of a listing, and delays the write of its item until the follower has passed a later
 * entry, which belongs to another listing. If the projector wrote the event's entry before the item, the
 * follower would read the old item, and no later entry would correct its copy. Replaces the hook of the
 * projector's proxy. The first generation must be live, in its first epoch.
 */
export async function publishWithLateItem(
  { deployment, proxy, follower }: { deployment: Deployment; proxy: FaultProxy; follower: FollowerProgram },
  { event, id, other }: { event: Published; id: string; other: string },
): Promise<void> {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  proxy.hook = async (step, moment, { body }): Promise<Verdict> => {
    if (step === 'write items' && moment === 'before' && body.includes(id)) {
      reached.resolve();
      await released.promise;
    }
    return 'pass';
  };
  await deployment.publish([event]);
  await reached.promise;
  const { client, prefix } = deployment;
  const names = generationNames(prefix, 1);
  await touchEntries(client, names, [other]);
  const { _seq_no } = await client.get({ index: names.changes, id: other });
  const hasPassed = async () => follower.position() >= changeNumber(1, _seq_no as number);
  await eventually('the follower passes the other entry', hasPassed, WITHIN_MS).finally(() =>
    released.resolve(),
  );
}
