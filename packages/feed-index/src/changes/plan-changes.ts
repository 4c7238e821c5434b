import { splitChangeNumber } from './change-entry.ts';
import { type ChangesHistory, type LiveChanges, liveChain } from './changes-history.ts';

/**
 * Entries from one changes index with `after` < `_seq_no` <= `upTo`. Their change numbers contain this epoch.
 * Without `upTo`, the index is the live one, and the segment ends at its checkpoint.
 */
export interface ChangesSegment extends LiveChanges {
  after: number;
  upTo?: number;
}

/**
 * The segments from which the next page is read, in this order. The last segment is live. A page contains
 * only entries from the first segment that has any. `expired` means that the follower has to start over.
 */
export type ChangesPlan = { kind: 'segments'; segments: ChangesSegment[] } | { kind: 'expired' };

const EXPIRED: ChangesPlan = { kind: 'expired' };
const PAST_EVERYTHING = 2 ** 40 - 1;

/**
 * Plans the page of changes after a change number, even if its epoch is no longer live. The plan visits every
 * generation that has been live since then, even if the follower's own generation is live again. While
 * another generation was behind the topic, pages may have contained that generation's older items
 * (docs/decisions/0060-change-numbers.md).
 * @param after a change number from 0 to 2^53-1; 0 for the beginning
 */
export function planChanges(live: LiveChanges, history: ChangesHistory, after: number): ChangesPlan {
  const { epoch, sequence } = splitChangeNumber(after);
  const segments: ChangesSegment[] = [];
  const upToLive = (from: number): ChangesPlan => ({
    kind: 'segments',
    segments: [...segments, { epoch: live.epoch, generation: live.generation, after: from }],
  });
  if (after === 0) return upToLive(-1);
  if (epoch > live.epoch) return upToLive(PAST_EVERYTHING);
  const chain = liveChain(live, history);
  let at = chain.findIndex((one) => one.epoch === epoch);
  if (at < 0) return EXPIRED;
  for (let position = sequence; ; at++) {
    const { epoch: current, generation } = chain[at] as LiveChanges;
    if (current === live.epoch) return upToLive(position);
    const next = chain[at + 1];
    // After an epoch without changes, the same generation may be live again. It then keeps its sequence
    // numbers.
    if (next?.generation === generation) continue;
    const { handover } = next ?? {};
    if (!handover) return EXPIRED;
    if (position < handover.from)
      segments.push({ epoch: current, generation, after: position, upTo: handover.from });
    position = handover.to;
  }
}
