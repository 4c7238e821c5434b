import {
  type ChangesHistory,
  expiredChanges,
  findGeneration,
  GenerationError,
  type LiveChanges,
  withCompleted,
  withoutKept,
} from '@vitrine/feed-index';
import type { Handover } from '../replay/handover.ts';
import { type Failure, updateHistory } from './action.ts';
import { type Completion, failedWith, type State, type StepData, type Steps, step } from './state.ts';

/**
 * The steps after the move of the aliases: the handover of the followers, and the end of kept changes. A
 * command that finds its generation live begins with them.
 */
export const COMPLETION_STEPS = {
  checkLive: step<Completion>()({
    action: () => ({ name: 'readChanges' }),
    next: (completion, changes) => {
      const { registry, live } = completion;
      if (findGeneration(registry, live).versions.changes !== undefined && changes.live?.generation !== live)
        throw new GenerationError(
          `/changes does not serve generation ${live}, because another process or an earlier release has moved ` +
            `the aliases. Run status. If generation ${live} is live, run rollback, verify ${live} and ` +
            `switch ${live}`,
        );
      return lastHandover(changes, { step: 'readExpired', data: completion }, completion);
    },
    failed: incomplete,
  }),

  // Until the projectors notice the move of the aliases, they write entries behind the mark of the previous
  // generation, and do not lift the entries of the live generation.
  liftEntries: step<StepData['liftEntries']>()({
    action: ({ transition }) => ({ name: 'liftEntries', transition }),
    next: (data) => ({ step: 'recordHandover', data }),
    failed: incomplete,
  }),

  recordHandover: step<StepData['recordHandover']>()({
    action: ({ transition: { epoch } }) => updateHistory((history) => withCompleted(history, epoch)),
    next: ({ next }) => next,
    failed: incomplete,
  }),

  readExpired: step<Partial<Completion>>()({
    action: () => ({ name: 'readChanges' }),
    next: (data, { history }, now) => {
      const expired = expiredChanges(history, now);
      return expired.length === 0
        ? { step: 'done', result: data.result }
        : { step: 'deleteExpired', data: { ...data, expired } };
    },
    failed: incomplete,
  }),

  deleteExpired: step<StepData['deleteExpired']>()({
    action: ({ expired }) => ({ name: 'deleteChanges', generations: expired }),
    next: (data) => ({ step: 'forgetExpired', data }),
    failed: incomplete,
  }),

  forgetExpired: step<StepData['forgetExpired']>()({
    action: ({ expired }) => updateHistory((history) => withoutKept(history, expired)),
    next: ({ result }) => ({ step: 'done', result }),
    failed: incomplete,
  }),
} satisfies Steps;

/** Completes the handover to the live generation, unless that has been done, and goes on to `next`. */
export function lastHandover(
  { live, history: { transitions } }: { live?: LiveChanges; history: ChangesHistory },
  next: State,
  completion: Partial<Completion> = {},
): State {
  const last = transitions.find(({ epoch }) => epoch === live?.epoch);
  if (!last?.after || !last.handover || last.completed) return next;
  return { step: 'liftEntries', data: { ...completion, transition: last as Handover, next } };
}

/**
 * Ends a command that has moved the aliases but has not done all of the work that follows. Repeating the
 * command does the rest.
 */
function incomplete({ live, next }: Partial<Completion> & { next?: State }, { kind, error }: Failure): State {
  if (live === undefined) return next ? withoutLastHandover(next, error) : failedWith(error);
  if (kind === 'refused') return failedWith(error);
  const advice =
    `Generation ${live} is live, but the switch is not complete: followers that are behind may miss the last ` +
    `changes before it. Run switch ${live} to complete it`;
  return failedWith(new Error(`${error.message}. ${advice}`, { cause: error }), advice);
}

/** A broken index of an earlier generation must not prevent a rollback. */
export const withoutLastHandover = (next: State, error: Error): State => ({
  ...next,
  warning: {
    message: 'followers that are behind may miss the last changes before the previous switch',
    about: { err: error },
  },
});
