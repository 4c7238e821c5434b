import type { ActionName, ActionOf, Failure, Responses } from './action.ts';
import { COMPLETION_STEPS } from './completion-steps.ts';
import { pruneSteps } from './prune-steps.ts';
import { failedWith, type State, type Step, type StepName } from './state.ts';
import { SWITCH_STEPS } from './switch-steps.ts';

export type Response<Name extends ActionName> = { ok: Responses[Name] } | { failure: Failure };

/** The machine of `switch`, `rollback`, `prune` and `replay cancel`. Pure: no I/O, no clock, no randomness. */
export interface Model {
  /** The action of a state. Undefined at the end. */
  action(state: State): ActionOf<ActionName> | undefined;
  /** The next state. @param now epoch milliseconds */
  next(state: State, response: Response<ActionName>, now: number): State;
}

/** The steps, as docs/guide/rebuild.md lists them. */
export const STEP_NAMES: readonly string[] = Object.keys({
  ...SWITCH_STEPS,
  ...COMPLETION_STEPS,
  ...pruneSteps(0),
});

/** @param changesRetentionMs how long the changes of a pruned generation are kept */
export function createModel(changesRetentionMs: number): Model {
  const steps = { ...SWITCH_STEPS, ...COMPLETION_STEPS, ...pruneSteps(changesRetentionMs) };
  const stepOf = (name: StepName) => steps[name] as unknown as Step<unknown, ActionName>;
  return {
    action: (state) => ('data' in state ? stepOf(state.step).action(state.data) : undefined),
    next(state, response, now) {
      if (!('data' in state)) return state;
      const { next, failed } = stepOf(state.step);
      if ('ok' in response) return next(state.data, response.ok as never, now);
      return failed ? failed(state.data, response.failure) : failedWith(response.failure.error);
    },
  };
}
