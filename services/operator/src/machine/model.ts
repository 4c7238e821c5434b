import { GenerationError } from '@vitrine/feed-index';
import type { ActionName, ActionOf, Failure, Responses } from './action.ts';
import { BUILD_STEPS } from './build-steps.ts';
import { COMPLETION_STEPS } from './completion-steps.ts';
import { pruneSteps } from './prune-steps.ts';
import { REPLAY_STEPS } from './replay-steps.ts';
import { failedWith, type State, type Step, type StepName } from './state.ts';
import { SWITCH_STEPS } from './switch-steps.ts';

export type Response<Name extends ActionName> = { ok: Responses[Name] } | { failure: Failure };

/** The machine of rebuilds, `switch`, `rollback` and `prune`. Pure: no I/O, no clock, no randomness. */
export interface Model {
  /** Returns the action of a state, or undefined at the end. */
  action(state: State): ActionOf<ActionName> | undefined;
  /** Returns the next state. @param now epoch milliseconds */
  next(state: State, response: Response<ActionName>, now: number): State;
}

const stepsWith = (changesRetentionMs: number) => ({
  ...REPLAY_STEPS,
  ...BUILD_STEPS,
  ...SWITCH_STEPS,
  ...COMPLETION_STEPS,
  ...pruneSteps(changesRetentionMs),
});

/** The steps, as docs/guide/rebuild.md lists them. */
export const STEP_NAMES: readonly string[] = Object.keys(stepsWith(0));

/** @param changesRetentionMs how long the changes of a pruned generation are kept */
export function createModel(changesRetentionMs: number): Model {
  const steps = stepsWith(changesRetentionMs);
  const stepOf = (name: StepName) => steps[name] as unknown as Step<unknown, ActionName>;
  return {
    action: (state) => ('data' in state ? stepOf(state.step).action(state.data) : undefined),
    next(state, response, now) {
      if (!('data' in state)) return state;
      const { next, failed } = stepOf(state.step);
      const fail = (failure: Failure) => (failed ? failed(state.data, failure) : failedWith(failure.error));
      if ('failure' in response) return fail(response.failure);
      try {
        return next(state.data, response.ok as never, now);
      } catch (error) {
        if (error instanceof GenerationError) return fail({ kind: 'refused', error });
        throw error;
      }
    },
  };
}
