import {
  findGeneration,
  GenerationError,
  type GenerationRecord,
  isSwitching,
  type Registry,
  unfinishedGeneration,
  withChanges,
  withKept,
  withoutGeneration,
} from '@vitrine/feed-index';
import { updateHistory, updateRegistry } from './action.ts';
import { failedWith, type Removal, type State, type Steps, step } from './state.ts';

/** The steps of `prune` and of `replay cancel`. A section of docs/guide/rebuild.md describes each step. */
export const pruneSteps = (changesRetentionMs: number) =>
  ({
    // The phase makes the builders stop.
    cancel: step<Partial<Removal>>()({
      action: ({ number }) => updateRegistry((registry) => cancelled(registry, number)),
      next: ({ number }, { before }) => {
        const record = cancellable(before, number);
        return record
          ? { step: 'waitForBuilders', data: { number: record.number } }
          : failedWith(new Error('the registry changed during the update'));
      },
    }),

    waitForBuilders: step<Removal>()({
      action: () => ({ name: 'waitForBuilders' }),
      next: (removal) => ({ step: 'readRoles', data: removal }),
    }),

    // A killed prune may have left a mark on a generation that is live.
    readRoles: unlessLive('markRemoval'),

    // All projectors stop writing a marked generation, and no switch to it can begin.
    markRemoval: step<Removal>()({
      action: ({ number }) => updateRegistry((registry, now) => markedForRemoval(registry, number, now)),
      next: (removal) => ({ step: 'readRolesMarked', data: removal }),
    }),

    // The generation may have become live before the mark.
    readRolesMarked: unlessLive('waitForGroup'),

    waitForGroup: step<Removal>()({
      action: ({ number }) => ({ name: 'waitForGroup', generation: number }),
      next: (removal) => ({ step: 'readRolesDrained', data: removal }),
    }),

    // A request from an earlier switch to the generation, whose command has failed, may have arrived late.
    readRolesDrained: unlessLive('closeItems'),

    // A switch that began before the mark may still be under way, in a paused process or as a late request.
    // From here on, Elasticsearch refuses such a switch.
    closeItems: step<Removal>()({
      action: ({ number }) => ({ name: 'closeItems', generation: number }),
      next: (removal) => ({ step: 'readRolesClosed', data: removal }),
    }),

    readRolesClosed: unlessLive('findChanges'),

    reopenItems: step<Removal>()({
      action: ({ number }) => ({ name: 'reopenItems', generation: number }),
      next: (removal) => ({ step: 'unmarkRemoval', data: removal }),
    }),

    unmarkRemoval: step<Removal>()({
      action: ({ number }) =>
        updateRegistry((registry) =>
          findGeneration(registry, number).phase === 'pruning'
            ? withChanges(registry, number, { phase: 'ready' })
            : registry,
        ),
      next: ({ number }) => {
        throw new GenerationError(`generation ${number} is live. Switch to another generation first`);
      },
    }),

    findChanges: step<Removal>()({
      action: ({ number }) => ({ name: 'hasChanges', generation: number }),
      next: (removal, exists) => ({ step: exists ? 'readHistory' : 'deleteIndices', data: removal }),
    }),

    // If the generation was live, followers may not have read all of its changes yet.
    readHistory: step<Removal>()({
      action: () => ({ name: 'readChanges' }),
      next: (removal, { history: { transitions } }) => {
        const wasLive = transitions.some(
          ({ generation, after }) => generation === removal.number || after?.generation === removal.number,
        );
        return { step: wasLive ? 'keepChanges' : 'deleteOwnChanges', data: removal };
      },
    }),

    deleteOwnChanges: step<Removal>()({
      action: ({ number }) => ({ name: 'deleteChanges', generations: [number] }),
      next: (removal) => ({ step: 'deleteIndices', data: removal }),
    }),

    keepChanges: step<Removal>()({
      action: ({ number }) =>
        updateHistory((history, now) =>
          withKept(history, { generation: number, until: new Date(now + changesRetentionMs).toISOString() }),
        ),
      next: (removal) => ({ step: 'closeChanges', data: removal }),
    }),

    closeChanges: step<Removal>()({
      action: ({ number }) => ({ name: 'closeChanges', generation: number }),
      next: (removal) => ({ step: 'deleteIndices', data: removal }),
    }),

    deleteIndices: step<Removal>()({
      action: ({ number }) => ({ name: 'deleteIndices', generation: number }),
      next: (removal) => ({ step: 'deleteGroup', data: removal }),
    }),

    deleteGroup: step<Removal>()({
      action: ({ number }) => ({ name: 'deleteGroup', generation: number }),
      next: (removal) => ({ step: 'removeRecord', data: removal }),
    }),

    removeRecord: step<Removal>()({
      action: ({ number }) => updateRegistry((registry) => withoutGeneration(registry, number)),
      next: (removal): State => ({ step: 'done', result: removal }),
    }),
  }) satisfies Steps;

/** Reads the roles, and goes on unless the generation is live. */
function unlessLive(next: 'markRemoval' | 'waitForGroup' | 'closeItems' | 'findChanges') {
  return step<Removal>()({
    action: () => ({ name: 'readRoles' }),
    next: (removal, { live }) => ({ step: live === removal.number ? 'reopenItems' : next, data: removal }),
  });
}

/**
 * The generation that `replay cancel` removes. An interrupted removal continues.
 * @param number undefined for the unfinished generation, whichever it is
 */
function cancellable(registry: Registry, number?: number): GenerationRecord | undefined {
  const pruning = registry.generations.filter(({ phase }) => phase === 'pruning');
  const unfinished = unfinishedGeneration(registry);
  if (number === undefined) return unfinished ?? pruning[0];
  return [unfinished, ...pruning].find((record) => record?.number === number);
}

/** @throws GenerationError if the generation is unknown or complete, or if no generation is unfinished */
function cancelled(registry: Registry, number?: number): Registry {
  const record = cancellable(registry, number);
  if (!record)
    throw new GenerationError(
      number === undefined
        ? 'there is no unfinished generation'
        : `generation ${findGeneration(registry, number).number} is not under construction. Run prune ${number} ` +
            'to remove it',
    );
  return withChanges(registry, record.number, { phase: 'pruning' });
}

/**
 * @throws GenerationError if the generation is about to become live, in use, under construction or unknown
 */
function markedForRemoval(registry: Registry, number: number, now: number): Registry {
  const { phase } = findGeneration(registry, number);
  const reading = registry.generations.find(
    (one) => one.phase === 'copying' && one.origin.from === 'states' && one.origin.of === number,
  );
  if (reading)
    throw new GenerationError(
      `a replay is reading the states of generation ${number}. Wait for it to end, or run replay cancel ` +
        `${reading.number}`,
    );
  if (isSwitching(registry, now) && registry.switching?.to === number)
    throw new GenerationError(
      `a switch is making generation ${number} live, so prune cannot remove it. Wait for the switch to end`,
    );
  if (phase !== 'ready' && phase !== 'pruning')
    throw new GenerationError(
      `generation ${number} is under construction. Run replay cancel ${number} to remove it`,
    );
  return phase === 'pruning' ? registry : withChanges(registry, number, { phase: 'pruning' });
}
