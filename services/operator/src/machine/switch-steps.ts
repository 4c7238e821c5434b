import {
  baseBetween,
  type ChangesHistory,
  epochAfterLoss,
  findGeneration,
  GenerationError,
  liveChain,
  newestReadyBeside,
  nextEpoch,
  type Registry,
  withTransition,
} from '@vitrine/feed-index';
import type { EpochMove } from '@vitrine/projection/generations';
import { type Failure, updateHistory, updateRegistry } from './action.ts';
import { lastHandover, withoutLastHandover } from './completion-steps.ts';
import { type Connection, failedWith, type Move, type State, type Steps, step } from './state.ts';
import { assertVerified, marked, released, renewed, rollbackTarget } from './switch-conditions.ts';

/**
 * The maximum number of records by which a generation may be further behind the topic than the live
 * generation. With a larger difference, readers would see outdated items.
 */
const MAX_BEHIND = 1_000;

/** The steps of `switch` and `rollback` up to the end of the move. docs/guide/rebuild.md describes them. */
export const SWITCH_STEPS = {
  readRegistry: step<{ command: 'switch' | 'rollback'; requested: number | undefined; mark: string }>()({
    action: () => ({ name: 'readRegistry' }),
    next: (request, registry) => ({ step: 'chooseGeneration', data: { ...request, registry } }),
  }),

  chooseGeneration: step<Extract<State, { step: 'chooseGeneration' }>['data']>()({
    action: () => ({ name: 'readRoles' }),
    next: ({ command, requested, options, mark, registry }, { live, previous, lostStates }, now) => {
      const to =
        command === 'switch'
          ? (requested ?? newestReadyBeside(registry, live))
          : rollbackTarget(requested, live, previous);
      if (to === live) return { step: 'checkLive', data: { registry, live, result: { to } } };
      // If no generation is live, or its states are lost, there is nothing to compare with.
      if (options && live !== undefined && !lostStates)
        assertVerified(findGeneration(registry, to), live, options, now);
      return {
        step: 'mark',
        data: {
          command,
          mark,
          registry,
          to,
          ...(live !== undefined && { from: live }),
          ...(previous !== undefined && { previous }),
        },
      };
    },
  }),

  // The preparation can take minutes. The mark comes before the preparation, so that no prune removes what is
  // prepared.
  mark: step<Move>()({
    action: ({ to, mark }) => updateRegistry((registry, now) => marked(registry, to, mark, now)),
    next: (move) => ({ step: 'checkIndices', data: move }),
  }),

  checkIndices: step<Move>()({
    action: ({ registry, to }) => ({ name: 'checkIndices', record: findGeneration(registry, to) }),
    next: (move) => ({ step: 'measureLag', data: move }),
    failed: releaseAfter,
  }),

  measureLag: step<Move>()({
    action: ({ from, to }) => ({ name: 'measureLag', generations: from === undefined ? [to] : [to, from] }),
    next: (move, [behind = 0, liveBehind = 0]) => {
      if (behind <= liveBehind + MAX_BEHIND) return { step: 'readLastHandover', data: move };
      throw new GenerationError(
        `generation ${move.to} is ${behind} records behind the topic; the live generation is ${liveBehind} ` +
          `records behind. Check that a projector for generation ${move.to} is running`,
      );
    },
    failed: releaseAfter,
  }),

  readLastHandover: step<Move>()({
    action: () => ({ name: 'readChanges' }),
    next: (move, changes) => lastHandover(changes, { step: 'readEpoch', data: move }),
    failed: (move, { error }) => withoutLastHandover({ step: 'readEpoch', data: move }, error),
  }),

  readEpoch: step<Move>()({
    action: () => ({ name: 'readChanges' }),
    next: (move, { live: ends, history }) => {
      const { registry, to } = move;
      if (findGeneration(registry, to).versions.changes === undefined)
        return ends
          ? { step: 'parkEpoch', data: { ...move, epochs: { ends } } }
          : { step: 'refreshItems', data: { ...move, epochs: {} } };
      const after = ends ?? history.parked;
      if (after === undefined) return { step: 'recordEpoch', data: move };
      const isConnected =
        after.generation !== to &&
        registry.generations.some(({ number, phase }) => number === after.generation && phase === 'ready');
      if (!isConnected) return { step: 'recordEpoch', data: { ...move, ...(ends && { ends }), after } };
      const { verification } = findGeneration(registry, to);
      const { live, own } = verification?.changes ?? {};
      const base =
        verification?.against === after.generation && live !== undefined && own !== undefined
          ? { from: live, to: own }
          : baseBetween(liveChain(after, history), after.generation, to);
      return { step: 'takeMarks', data: { ...move, ...(ends && { ends }), after, ...(base && { base }) } };
    },
    failed: releaseAfter,
  }),

  // The next switch continues after this epoch.
  parkEpoch: step<Move & { epochs: EpochMove }>()({
    action: ({ epochs: { ends } }) =>
      updateHistory((history) => (ends ? { ...history, parked: ends } : history)),
    next: (move) => ({ step: 'refreshItems', data: move }),
    failed: releaseAfter,
  }),

  takeMarks: step<Move & Connection>()({
    action: ({ registry, after, to, base }) => ({
      name: 'takeMarks',
      registry,
      from: after.generation,
      to,
      base,
    }),
    next: (move, marks) => ({ step: 'recordEpoch', data: { ...move, ...(marks && { marks }) } }),
    failed: releaseAfter,
  }),

  // The marks are stored before the aliases move, so a reader of the new epoch always finds them.
  recordEpoch: step<Extract<State, { step: 'recordEpoch' }>['data']>()({
    action: ({ registry, to, after, base, marks }) =>
      updateHistory((history, now) =>
        withTransition(history, {
          epoch:
            after === undefined && hasLostEpochs(registry, to, history)
              ? epochAfterLoss(registry.last, now)
              : nextEpoch(Math.max(after?.epoch ?? 0, to - 1), history),
          generation: to,
          at: new Date(now).toISOString(),
          ...(after && { after }),
          ...(marks && { handover: marks }),
          ...(base && { base }),
        }),
      ),
    next: ({ ends, after: _, base: __, marks: ___, ...move }, { transitions }) => {
      const epoch = transitions.at(-1)?.epoch as number;
      const epochs = { ...(ends && { ends }), begins: { epoch, generation: move.to } };
      return { step: 'refreshItems', data: { ...move, epochs } };
    },
    failed: releaseAfter,
  }),

  // The first search after the switch must already see the latest writes.
  refreshItems: step<Move & { epochs: EpochMove }>()({
    action: ({ to }) => ({ name: 'refreshItems', generation: to }),
    next: (move) => ({ step: 'confirmMark', data: move }),
    failed: releaseAfter,
  }),

  confirmMark: step<Move & { epochs: EpochMove }>()({
    action: ({ to, mark }) => updateRegistry((registry, now) => renewed(registry, to, mark, now)),
    next: (move) => ({ step: 'moveAliases', data: move }),
    failed: releaseAfter,
  }),

  moveAliases: step<Move & { epochs: EpochMove }>()({
    action: ({ from, to, previous, epochs }) => ({ name: 'moveAliases', from, to, previous, epochs }),
    next: (move) => ({ step: 'releaseMark', data: move }),
    failed: (move, { kind, error }) => ({
      step: 'releaseMark',
      data: { ...move, error: kind === 'refused' ? error : maybeMoved(move, error) },
    }),
  }),

  releaseMark: step<Move & { error?: Error }>()({
    action: ({ mark }) => updateRegistry((registry) => released(registry, mark)),
    next: ({ registry, from, to, error }) =>
      error
        ? failedWith(error, adviceOf(error))
        : {
            step: 'checkLive',
            data: { registry, live: to, result: { ...(from !== undefined && { from }), to } },
          },
    // A mark that cannot be removed expires.
    failed: (move, { error }) => {
      const reason = move.error ?? maybeMoved(move, error);
      return failedWith(reason, adviceOf(reason));
    },
  }),
} satisfies Steps;

/** Whether other generations had changes, but nothing shows which epochs they used. */
const hasLostEpochs = (
  { generations }: Registry,
  to: number,
  { transitions }: Pick<ChangesHistory, 'transitions'>,
): boolean =>
  transitions.length === 0 &&
  generations.some(({ number, versions }) => number !== to && versions.changes !== undefined);

/** The command cannot tell whether the aliases have moved. */
class MaybeMoved extends Error {
  readonly advice: string;

  constructor({ command, to }: Move, cause: Error) {
    const advice = `Generation ${to} may be live already. Run ${command} ${to} to complete the ${command}`;
    super(`${cause.message}. ${advice}`, { cause });
    this.advice = advice;
  }
}

const maybeMoved = (move: Move, cause: Error): Error => new MaybeMoved(move, cause);
const adviceOf = (error: Error): string | undefined =>
  error instanceof MaybeMoved ? error.advice : undefined;

function releaseAfter(move: Move, { error }: Failure): State {
  const { command, mark, registry, from, to, previous } = move;
  const core = {
    command,
    mark,
    registry,
    to,
    ...(from !== undefined && { from }),
    ...(previous !== undefined && { previous }),
  };
  return { step: 'releaseMark', data: { ...core, error } };
}
