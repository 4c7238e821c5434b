import { MAX_EPOCH } from './change-entry.ts';

/**
 * The switches and rollbacks of a deployment, as followers see them. The query service reads this document,
 * and only commands write it (docs/guide/changes.md).
 */
export interface ChangesHistory {
  /**
   * The transitions, in ascending order of epochs. Only the epochs that lead back from the live one have been
   * live.
   */
  transitions: Transition[];
  kept: KeptChanges[];
  /** The last live epoch, if a rollback to a generation without a changes index ended it. */
  parked?: LiveChanges;
}

export interface HistoryDocument {
  history: ChangesHistory;
}

export interface LiveChanges {
  epoch: number;
  generation: number;
}

export interface Transition extends LiveChanges {
  /** The previous epoch. It is absent if followers of earlier epochs cannot continue. */
  after?: LiveChanges;
  /**
   * A follower that has read the previous generation up to `from` continues after `to` in this generation.
   * The mark -1 precedes every entry. The member is absent if there are no marks.
   */
  handover?: ChangesPair;
  /** Whether all entries that moved behind `handover.from` during the switch have been lifted. */
  completed?: true;
  /** ISO 8601. */
  at: string;
  /** The checkpoints of both changes indices since which the two generations may differ. */
  base?: ChangesPair;
}

/** Sequence numbers in two changes indices: those of the generations before and after a transition. */
export interface ChangesPair {
  from: number;
  to: number;
}

/** The changes index of a pruned generation. */
export interface KeptChanges {
  generation: number;
  /** The index is kept until this time (ISO 8601). */
  until: string;
}

export const EMPTY_HISTORY: ChangesHistory = { transitions: [], kept: [] };

/** The history keeps this many transitions. Followers of older epochs have to start over. */
const MAX_TRANSITIONS = 200;

/** The epochs that have been live, oldest first. The live epoch leads back to each of them. */
export function liveChain(
  live: LiveChanges,
  { transitions }: ChangesHistory,
): (LiveChanges & Partial<Transition>)[] {
  const byEpoch = new Map(transitions.map((one) => [one.epoch, one]));
  const chain: (LiveChanges & Partial<Transition>)[] = [];
  for (let at: LiveChanges | undefined = live; at; ) {
    const transition: Transition | undefined = byEpoch.get(at.epoch);
    chain.unshift(transition ?? at);
    // An epoch leads only to lower ones, so the loop ends whatever the document contains.
    const { after }: Partial<Transition> = transition ?? {};
    at = after && after.epoch < at.epoch ? after : undefined;
  }
  return chain;
}

/** An epoch that no transition has used, not even the transition of a failed switch. */
export const nextEpoch = (live: number, { transitions }: ChangesHistory): number =>
  Math.max(live, ...transitions.map(({ epoch }) => epoch)) + 1;

const WEEK_MS = 7 * 24 * 60 * 60 * 1_000;
/**
 * The switches and rollbacks per generation that an epoch after a loss makes room for, in addition to one per
 * week.
 */
const MOVES_PER_GENERATION = 4;
/** The number of epochs that always remain for later switches. */
const REMAINING_EPOCHS = 1_000;

/**
 * An epoch above all earlier ones, for a deployment that has lost the record of its epochs. The number of a
 * generation is never used again, even after a loss, so a second loss leads to a higher epoch. Pure.
 * @param generation the number of the generation whose epoch begins
 * @param now epoch milliseconds
 */
export const epochAfterLoss = (generation: number, now: number): number =>
  Math.min(Math.floor(now / WEEK_MS) + MOVES_PER_GENERATION * generation, MAX_EPOCH - REMAINING_EPOCHS);

export const withTransition = (history: ChangesHistory, transition: Transition): ChangesHistory => ({
  ...history,
  transitions: [...history.transitions, transition].slice(-MAX_TRANSITIONS),
});

/** Marks the handover of an epoch as completed. Repeating the call changes nothing. */
export const withCompleted = (history: ChangesHistory, epoch: number): ChangesHistory =>
  history.transitions.some((one) => one.epoch === epoch && !one.completed)
    ? {
        ...history,
        transitions: history.transitions.map((one) =>
          one.epoch === epoch ? { ...one, completed: true } : one,
        ),
      }
    : history;

/** Adds the changes index of a generation that is being pruned. Repeating the call changes nothing. */
export const withKept = (history: ChangesHistory, kept: KeptChanges): ChangesHistory =>
  history.kept.some(({ generation }) => generation === kept.generation)
    ? history
    : { ...history, kept: [...history.kept, kept] };

/** The changes indices that no longer need to be kept. @param now epoch milliseconds */
export const expiredChanges = ({ kept }: ChangesHistory, now: number): number[] =>
  kept.filter(({ until }) => Date.parse(until) <= now).map(({ generation }) => generation);

export const withoutKept = (history: ChangesHistory, generations: readonly number[]): ChangesHistory => ({
  ...history,
  kept: history.kept.filter(({ generation }) => !generations.includes(generation)),
});

/**
 * The checkpoints since which two generations may differ, from the last transition between them.
 * @returns undefined if no transition has connected them since both were verified
 */
export function baseBetween(
  chain: readonly (LiveChanges & Partial<Transition>)[],
  from: number,
  to: number,
): ChangesPair | undefined {
  const last = chain.findLast(
    ({ generation, after }) =>
      (after?.generation === from && generation === to) || (after?.generation === to && generation === from),
  );
  if (!last?.base) return undefined;
  return last.generation === to ? last.base : { from: last.base.to, to: last.base.from };
}
