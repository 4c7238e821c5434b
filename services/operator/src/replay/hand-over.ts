import { setTimeout as sleep } from 'node:timers/promises';
import { groupOf } from '@vitrine/projection/generations';
import type { CommandContext } from '../command-context.ts';

const WITHIN_MS = 20_000;
const CHECK_EVERY_MS = 250;

/**
 * Waits until a projector joins the group of a generation in addition to this process. The generation is then
 * written without a gap.
 * @returns false if no projector joined within 20 seconds; true also when the signal aborts
 */
export async function waitForProjector(
  { admin, settings }: CommandContext,
  number: number,
  signal: AbortSignal,
): Promise<boolean> {
  const groupId = groupOf(settings.CONSUMER_GROUP, number);
  for (const deadline = Date.now() + WITHIN_MS; Date.now() < deadline; ) {
    // The generation is ready, even if Kafka does not respond now.
    const { groups } = await admin.describeGroups([groupId]).catch(() => ({ groups: [] }));
    if ((groups[0]?.members.length ?? 0) > 1) return true;
    await sleep(CHECK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return true;
  }
  return false;
}
