import { type GenerationRecord, type Phase, planSlices } from '@vitrine/feed-index';
import type { ActionName, ActionOf, Failure } from './action.ts';
import {
  type Building,
  failedWith,
  type State,
  type Step,
  type StepData,
  type Steps,
  step,
} from './state.ts';

/**
 * A generation has caught up when it reads the rest of the log within this time. Waiting for open
 * transactions does not count, because a producer can always have one open.
 */
const CAUGHT_UP_WITHIN_MS = 3_000;

/** A step of a builder. After a failure, the builder leaves the group and the registry. */
const work =
  <Data>() =>
  <Name extends ActionName>(one: Omit<Step<Data, Name>, 'failed'>): Step<Data, never> =>
    step<Data>()({
      ...one,
      failed: (_: Data, { error }: Failure): State => ({ step: 'leaveGroup', data: { error } }),
    } as Step<Data, Name>);

/** The steps of each builder, until the generation is ready. docs/guide/rebuild.md describes each step. */
export const BUILD_STEPS = {
  startBuilder: work<StepData['startBuilder']>()({
    action: (started) => ({ name: 'startBuilder', ...started }),
    next: () => ({ step: 'readPhase', data: {} }),
  }),

  // The heartbeat confirms the lease, so that a phase never recreates indices that a cancellation removed.
  readPhase: work<object>()({
    action: () => updateGeneration((record) => record),
    next: (_, record) => inPhase(record),
  }),

  createIndices: work<Building>()({
    action: ({ record }) => ({ name: 'createIndices', record }),
    next: ({ record }, created) => ({ step: 'recordIndices', data: { record, created } }),
  }),

  recordIndices: work<StepData['recordIndices']>()({
    action: ({ created }) =>
      updateGeneration((now) => (now.index_ids ? now : { ...now, index_ids: created })),
    next: ({ record }, { index_ids, scan }) => ({
      step: 'checkCreated',
      data: { record: { ...record, ...(index_ids && { index_ids }), ...(scan && { scan }) } },
    }),
  }),

  // Fails if an index that a builder created was replaced, or if an index template changes it.
  checkCreated: work<Building>()({
    action: ({ record }) => ({ name: 'checkIndices', record }),
    next: ({ record }) => {
      if (record.phase !== 'copying') return { step: 'joinGroup', data: { record } };
      return { step: record.scan ? 'writeSlices' : 'readShards', data: { record } };
    },
  }),

  joinGroup: work<Building>()({
    action: ({ record }) => ({ name: 'startConsumer', record }),
    next: ({ record }) => ({ step: record.phase === 'following' ? 'catchUp' : 'readLog', data: { record } }),
  }),

  readLog: work<Building>()({
    action: ({ record }) => ({ name: 'waitUntilCommitted', record }),
    next: (building) => ({ step: 'endReading', data: building }),
  }),

  // After `projecting`, the same consumer follows the topic, because leaving the group and joining it again
  // would take a second.
  endReading: work<Building>()({
    action: ({ record: { phase } }) => advance(phase, phase === 'folding' ? 'deriving' : 'following'),
    next: ({ record }): State =>
      record.phase === 'folding'
        ? { step: 'leaveGroup', data: {} }
        : { step: 'openIndices', data: { record: { ...record, phase: 'following' }, isMember: true } },
  }),

  leaveGroup: step<StepData['leaveGroup']>()({
    action: () => ({ name: 'stopConsumer' }),
    next: ({ error, result }) => {
      if (error) return { step: 'leave', data: { error } };
      return result ? { step: 'leave', data: { result } } : { step: 'readPhase', data: {} };
    },
    failed: ({ error }, failure) => ({ step: 'leave', data: { error: error ?? failure.error } }),
  }),

  // A builder that is still folding could commit an event whose item no slice contains.
  waitForFolding: work<Building>()({
    action: ({ record }) => ({ name: 'waitForFolding', generation: record.number }),
    next: (building, isPlanned) =>
      isPlanned ? { step: 'readPhase', data: {} } : { step: 'readShards', data: building },
  }),

  readShards: work<Building>()({
    action: ({ record }) => ({ name: 'readShards', generation: sourceOf(record) }),
    next: ({ record }, { shards, total }) => ({
      step: 'createWriters',
      data: { record, slices: planSlices(shards), total },
    }),
  }),

  createWriters: work<StepData['createWriters']>()({
    action: ({ record }) => ({ name: 'createWriters', generation: record.number }),
    next: ({ record, slices, total }, writer) => ({
      step: 'recordScan',
      data: { record, scan: { slices, total, writer } },
    }),
  }),

  // Another builder may have been faster. All builders then use its slices and its write aliases.
  recordScan: work<StepData['recordScan']>()({
    action: ({ record: { phase }, scan }) =>
      updateGeneration((now) => (now.phase === phase && !now.scan ? { ...now, scan } : now)),
    next: ({ record }) => ({
      step: record.phase === 'copying' ? 'beginGroup' : 'writeSlices',
      data: { record },
    }),
  }),

  // The start takes seconds, so it continues while the builder writes.
  beginGroup: work<Building>()({
    action: ({ record }) => ({ name: 'startGroup', record, isAwaited: false }),
    next: (building) => ({ step: 'writeSlices', data: building }),
  }),

  writeSlices: work<Building>()({
    action: ({ record }) => ({ name: 'writeSlices', record, source: sourceOf(record) }),
    next: ({ record }) => ({
      step: record.phase === 'copying' ? 'startGroup' : 'revokeWriters',
      data: { record },
    }),
  }),

  startGroup: work<Building>()({
    action: ({ record }) => ({ name: 'startGroup', record, isAwaited: true }),
    next: (building) => ({ step: 'revokeWriters', data: building }),
  }),

  // From here on, Elasticsearch refuses every page from this phase, however late it arrives.
  revokeWriters: work<Building>()({
    action: ({ record }) => ({ name: 'revokeWriters', generation: record.number }),
    next: (building) => ({ step: 'endScan', data: building }),
  }),

  endScan: work<Building>()({
    action: ({ record }) => advance(record.phase, 'following'),
    next: () => ({ step: 'readPhase', data: {} }),
  }),

  openIndices: work<StepData['openIndices']>()({
    action: ({ record }) => ({ name: 'openIndices', record }),
    next: ({ record, isMember }) => ({ step: isMember ? 'catchUp' : 'joinGroup', data: { record } }),
  }),

  catchUp: work<Building>()({
    action: ({ record }) => ({ name: 'waitUntilCommitted', record }),
    next: (building, tookMs) => ({
      step: tookMs > CAUGHT_UP_WITHIN_MS ? 'catchUp' : 'refreshBuilt',
      data: building,
    }),
  }),

  refreshBuilt: work<Building>()({
    action: ({ record }) => ({ name: 'refreshBuilt', generation: record.number }),
    next: (building) => ({ step: 'takeOverRemovals', data: building }),
  }),

  takeOverRemovals: work<Building>()({
    action: ({ record }) => ({ name: 'takeOverRemovals', record }),
    next: ({ record }, completed) => ({ step: 'markReady', data: { record, completed } }),
  }),

  // After this change, every projector with the generation's versions writes the generation. The builders
  // stay in the group until a projector has joined.
  markReady: work<StepData['markReady']>()({
    action: ({ completed }) => advance('following', 'ready', completed),
    next: ({ record }) => ({ step: 'waitForProjector', data: { record } }),
  }),

  waitForProjector: work<Building>()({
    action: ({ record }) => ({ name: 'waitForProjector', generation: record.number }),
    next: ({ record }, hasProjector) => ({
      step: 'leaveGroup',
      data: { result: { generation: record.number, hasProjector } },
    }),
  }),

  leave: step<StepData['leave']>()({
    action: () => ({ name: 'endBuilder' }),
    next: left,
    failed: (end, { error }) => ({
      ...left(end),
      warning: {
        message: 'could not release the lease; it expires after 15 seconds',
        about: { err: error },
      },
    }),
  }),
} satisfies Steps;

function left(end: StepData['leave']): State {
  return 'error' in end ? failedWith(end.error) : { step: 'done', result: end.result };
}

const updateGeneration = (change: ActionOf<'updateGeneration'>['change']): ActionOf<'updateGeneration'> => ({
  name: 'updateGeneration',
  change,
});

/** Moves the generation to its next phase, unless it has already moved. A ready generation keeps no scan. */
const advance = (
  from: Phase,
  to: Phase,
  changes: Partial<GenerationRecord> = {},
): ActionOf<'updateGeneration'> =>
  updateGeneration((record) => {
    if (record.phase !== from) return record;
    const { scan, ...rest } = record;
    return { ...rest, ...changes, phase: to, ...(scan && to !== 'ready' && { scan }) };
  });

/** The generation whose states a scan reads. */
const sourceOf = ({ number, origin }: GenerationRecord) => (origin.from === 'states' ? origin.of : number);

/** The first step of a builder in a phase. */
function inPhase(record: GenerationRecord): State {
  const { number, phase, scan } = record;
  switch (phase) {
    case 'folding':
    case 'projecting':
    case 'copying':
      return { step: 'createIndices', data: { record } };
    case 'deriving':
      return { step: scan ? 'writeSlices' : 'waitForFolding', data: { record } };
    case 'following':
      return { step: 'openIndices', data: { record } };
    case 'creating':
    case 'ready':
    case 'pruning':
      return { step: 'leave', data: { result: { generation: number, hasProjector: true } } };
    default:
      return phase satisfies never;
  }
}
