import { setTimeout as sleep } from 'node:timers/promises';
import { generationNames } from '@vitrine/feed-index';
import type { Deployment, Published } from './deployment.ts';
import { type FaultProxy, startFaultProxy, type Verdict } from './fault-proxy.ts';

/** The longest wait for the marks, and the time that the switch then needs to read the end offsets. */
const MARKS_WITHIN_MS = 8_000;
const ENDS_WITHIN_MS = 2_000;
/** The projector of generation 1 may process one partition at a time. */
const REACHED_WITHIN_MS = 10_000;

/** An event of a listing, in a partition of its own. */
export interface LateEvent {
  id: string;
  event: Published;
}

/**
 * Switches from generation 1 to generation 2 while two entries of generation 1 are late. Generation 2 has both
 * events when the aliases move.
 * - The entry of `first` is late when the switch begins. If the switch did not wait for the commits, C1 would be
 *   below this entry, and C2 above the entry of generation 2.
 * - The event of `second` comes after the end offsets, and its entry is late until the switch is complete. If
 *   the switch read C2 last, the same would apply to this event. The times only affect how reliably such a
 *   fault is found. A correct switch loses nothing at any speed.
 * @param proxy the proxy of generation 1's projector, whose hook is replaced
 * @param run runs the switch in a deployment
 */
export async function switchWithLateEntries(
  deployment: Deployment,
  proxy: FaultProxy,
  { first, second }: { first: LateEvent; second: LateEvent },
  run: (deployment: Deployment) => Promise<void>,
): Promise<void> {
  const { env, prefix } = deployment;
  const late = new Map(
    [first, second].map(({ id }) => [
      id,
      { reached: Promise.withResolvers<void>(), released: Promise.withResolvers<void>() },
    ]),
  );
  proxy.hook = async (step, moment, { body }): Promise<Verdict> => {
    if (step === 'write entries' && moment === 'before' && body.includes(`${prefix}-changes-1-`))
      for (const [id, { reached, released }] of late)
        if (body.includes(id)) {
          reached.resolve();
          await released.promise;
        }
    return 'pass';
  };
  const publish = async ({ event }: LateEvent) => {
    await deployment.publish([event]);
    await deployment.caughtUp(undefined, 2);
  };
  /** Waits until the projector of generation 1 has written the item and is sending the entry. */
  const isReached = ({ id }: LateEvent) =>
    Promise.race([late.get(id)?.reached.promise, sleep(REACHED_WITHIN_MS)]);
  const reads = await startFaultProxy(env.ELASTICSEARCH_URL as string);
  try {
    await publish(first);
    await isReached(first);
    // The switch reads the checkpoint of generation 2 before its comparison, and for C2.
    const marked = Promise.withResolvers<void>();
    let left = 2;
    reads.hook = (_, moment, { path }) => {
      const isCheckpoint = path.startsWith(`/${generationNames(prefix, 2).changes}/_stats`);
      if (moment === 'after' && isCheckpoint && --left === 0) marked.resolve();
      return 'pass';
    };
    const running = run({ ...deployment, env: { ...env, ELASTICSEARCH_URL: reads.url } });
    // The last line of this block awaits this promise. Until then, a failure must not end the process.
    running.catch(() => undefined);
    await Promise.race([running, marked.promise, sleep(MARKS_WITHIN_MS)]);
    await Promise.race([running, sleep(ENDS_WITHIN_MS)]);
    await publish(second);
    // The switch compares no items before both are equal.
    reads.hook = async (): Promise<Verdict> => {
      await isReached(second);
      return 'pass';
    };
    late.get(first.id)?.released.resolve();
    await running;
  } finally {
    for (const { released } of late.values()) released.resolve();
    await reads.close();
  }
}
