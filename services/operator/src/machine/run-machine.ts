import { randomUUID } from 'node:crypto';
import { isSwitching, SWITCHING_MS } from '@vitrine/feed-index';
import { readRegistry, readRoles, updateRegistry, versionsWith } from '@vitrine/projection/generations';
import type { CommandContext } from '../command-context.ts';
import { newBuilder, type Reports } from '../replay/build.ts';
import { createModel } from './model.ts';
import { performAction, type Session } from './perform-action.ts';
import type { Removal, Replayed, ReplayRequest, Result, State, Switched, SwitchOptions } from './state.ts';
import { renewed } from './switch-conditions.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const RENEW_EVERY_MS = SWITCHING_MS / 12;

export type ReplayOptions = Pick<ReplayRequest, 'from' | 'rate' | 'incompleteLog' | 'withoutRulesModule'>;

/**
 * Builds a new generation alongside the live generation. Resolves when the new generation is ready.
 * @throws GenerationError if another replay is in progress, the source is incomplete, or the replay was
 * cancelled
 */
export const replay = async (
  context: CommandContext,
  { from, rate, incompleteLog, withoutRulesModule = false }: ReplayOptions,
  reports: Reports,
): Promise<Replayed> =>
  (await run(
    { ...context, reports },
    {
      step: 'planReplay',
      data: { ...builderOf(context, rate), from, incompleteLog, withoutRulesModule },
    },
  )) as Replayed;

/**
 * Continues an interrupted replay.
 * @param generation undefined for the unfinished generation, whichever it is
 * @param rate replaces the rate of the interrupted replay
 * @throws GenerationError if there is no interrupted replay, another process is running it, another version
 * of the code began it, or the topic lost records that the replay had not read
 */
export const resumeReplay = async (
  context: CommandContext,
  generation: number | undefined,
  rate: number | undefined,
  reports: Reports,
): Promise<Replayed> =>
  (await run(
    { ...context, reports },
    {
      step: 'readUnfinished',
      data: { ...builderOf(context, rate), ...(generation !== undefined && { resume: generation }) },
    },
  )) as Replayed;

/**
 * Adds this process to the builders of a generation. Resolves when the generation is ready. A generation that
 * is ready before the call needs no further builder.
 * @throws GenerationError if the generation is not under construction, another version of the code is
 * building it, or the topic lost records that the replay had not read
 */
export const joinReplay = async (
  context: CommandContext,
  generation: number,
  reports: Reports,
): Promise<Replayed> =>
  (await run(
    { ...context, reports },
    { step: 'readUnfinished', data: { ...builderOf(context), join: generation } },
  )) as Replayed;

const builderOf = (
  { rules }: CommandContext,
  rate?: number,
): Pick<ReplayRequest, 'ours' | 'builder' | 'rate'> => ({
  ours: versionsWith(rules),
  builder: newBuilder(),
  ...(rate !== undefined && { rate }),
});

/**
 * Makes a verified generation live. If it is already live, completes the switch to it.
 * @param to undefined for the newest ready generation that is not live
 * @throws GenerationError if the deployment does not allow the switch; otherwise an error whose message names
 * the command that completes an interrupted switch
 */
export const switchTo = async (
  context: CommandContext,
  to: number | undefined,
  options: SwitchOptions,
): Promise<Switched> =>
  (await run(context, {
    step: 'readRegistry',
    data: { command: 'switch', requested: to, options, mark: randomUUID() },
  })) as Switched;

/**
 * Makes the previous generation live again. If `to` is already live, completes the switch to it.
 * @param to undefined for the previous generation, whichever it is
 * @throws the same errors as `switchTo`
 */
export const rollback = async (context: CommandContext, to?: number): Promise<Switched> =>
  (await run(context, {
    step: 'readRegistry',
    data: { command: 'rollback', requested: to, mark: randomUUID() },
  })) as Switched;

/**
 * Removes a generation that is not live, with its indices, its consumer group and its record. After an
 * interruption, another call completes the removal.
 * @throws GenerationError if the generation is live, about to become live, under construction or unknown
 */
export async function removeGeneration(context: CommandContext, number: number): Promise<void> {
  await run(context, { step: 'readRoles', data: { number } });
}

/**
 * Removes an unfinished generation, which makes its builders stop. After an interruption, another call
 * completes the removal.
 * @param number undefined for the unfinished generation, whichever it is
 * @returns the number of the generation
 * @throws GenerationError if the generation is unknown or complete, or if no generation is unfinished
 */
export async function cancelReplay(context: CommandContext, number?: number): Promise<number> {
  const data = number === undefined ? {} : { number };
  return ((await run(context, { step: 'cancel', data })) as Removal).number;
}

/** Deletes the changes indices of pruned generations whose retention is over. */
export async function deleteExpiredChanges(context: CommandContext): Promise<void> {
  await run(context, { step: 'readExpired', data: {} });
}

/**
 * Lists the generations that `prune` removes if it has no argument: all generations that are neither live,
 * nor about to become live, nor under construction.
 */
export async function prunable({ client, settings }: CommandContext): Promise<number[]> {
  const [registry, { live }] = await Promise.all([
    readRegistry(client, settings.INDEX_PREFIX),
    readRoles(client, settings.INDEX_PREFIX),
  ]);
  const done = (registry?.generations ?? []).filter(({ phase }) => phase === 'ready' || phase === 'pruning');
  const next = registry && isSwitching(registry, Date.now()) ? registry.switching?.to : undefined;
  return done.map(({ number }) => number).filter((number) => number !== live && number !== next);
}

/** Performs the machine's actions from a state to the end. */
async function run(context: Session, from: State): Promise<Result> {
  const model = createModel(context.settings.CHANGES_RETENTION_DAYS * DAY_MS);
  const session: Session = { ...context };
  let renewal: Renewal | undefined;
  try {
    for (let state = from; ; ) {
      if (state.warning) context.log.warn(state.warning.about, state.warning.message);
      if (state.step === 'done') return state.result;
      if (state.step === 'failed') {
        // After Ctrl-C, the command prints nothing but the interruption.
        if (state.advice !== undefined && context.signal.aborted) context.log.warn(state.advice);
        // A lost lease is the reason for whatever failed after it.
        const lost = session.build?.lease.lost;
        throw lost?.aborted ? lost.reason : state.error;
      }
      if (state.step === 'checkIndices') renewal ??= renewMark(context, state.data);
      if (state.step === 'releaseMark') await renewal?.end();
      const action = model.action(state);
      if (!action) throw new Error(`the step ${state.step} has no action`);
      state = model.next(state, await performAction(session, action), Date.now());
    }
  } finally {
    await renewal?.end();
  }
}

interface Renewal {
  end(): Promise<void>;
}

/** Renews the mark of a switch until its end, because the preparation can take minutes. */
function renewMark(
  { client, settings, log }: CommandContext,
  { to, mark }: { to: number; mark: string },
): Renewal {
  let last: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    last = updateRegistry(client, settings.INDEX_PREFIX, (registry) =>
      renewed(registry, to, mark, Date.now()),
    ).catch((error: unknown) => log.debug({ err: error }, 'could not renew the mark of the switch'));
  }, RENEW_EVERY_MS);
  return {
    async end() {
      clearInterval(timer);
      await last;
    },
  };
}
