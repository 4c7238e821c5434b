import {
  assertRequested,
  describeVersions,
  findGeneration,
  GenerationError,
  type GenerationRecord,
  moduleAdvice,
  type Registry,
  sameVersions,
  unfinishedGeneration,
  type Versions,
  withChanges,
  withJoiningBuilder,
  withNewGeneration,
  withoutBuilder,
  withResumingBuilder,
} from '@vitrine/feed-index';
import { describeOtherTopic } from '@vitrine/kafka';
import { assertBuildable } from '../rules-module.ts';
import { updateRegistry } from './action.ts';
import type { EntryRequest, ReplayPlan, State, StepData, Steps } from './state.ts';
import { step } from './state.ts';

/**
 * Below this number of records per listing, a single pass over the topic is cheaper than one pass for the
 * states and one for the items.
 */
const MAX_RECORDS_PER_LISTING = 2.5;

/** The steps of `replay`, `replay resume` and `replay join` until the process is a builder. */
export const REPLAY_STEPS = {
  planReplay: step<StepData['planReplay']>()({
    action: () => ({ name: 'readRegistry' }),
    next: (request, registry) => {
      // Fails immediately if another replay is in progress, before any request to Kafka.
      withNewGeneration(registry, planOf(request, 'folding'), request.builder);
      return { step: 'checkBuildable', data: { ...request, registry } };
    },
  }),

  checkBuildable: step<StepData['checkBuildable']>()({
    action: () => ({ name: 'readRoles' }),
    next: (request, { live }) => {
      const { registry, ours, withoutRulesModule = false } = request;
      assertBuildable(registry, live, { version: ours.rules }, withoutRulesModule);
      return { step: 'checkScans', data: { ...request, ...(live !== undefined && { live }) } };
    },
  }),

  checkScans: step<StepData['checkScans']>()({
    action: () => ({ name: 'checkScans' }),
    next: (plan) => ({ step: 'findNumber', data: plan }),
  }),

  // A new generation must not begin in the middle of the log, so its group must have no commits.
  findNumber: step<StepData['findNumber']>()({
    action: ({ registry }) => ({ name: 'findLastNumber', after: registry.last }),
    next: (request, last) => {
      const plan = { ...request, last };
      const { from, live, registry, ours } = request;
      if (from === 'topic') return request.incompleteLog ? afterLog(plan) : { step: 'checkLog', data: plan };
      if (live === undefined) throw new GenerationError('replay --from states requires a live generation');
      const { states } = findGeneration(registry, live).versions;
      if (states !== ours.states)
        throw new GenerationError(
          `the states of generation ${live} have mapping version ${states}, but this code reads ` +
            `version ${ours.states}. Run replay --from topic`,
        );
      return { step: 'checkSource', data: { ...plan, live } };
    },
  }),

  checkLog: step<ReplayPlan>()({
    action: () => ({ name: 'checkLog' }),
    next: afterLog,
  }),

  // `projecting` writes the item again for each later event of its listing. `folding` writes each item once,
  // but has to read every state again.
  countSource: step<StepData['countSource']>()({
    action: ({ live }) => ({ name: 'countSource', live }),
    next: (plan, { records, states }) => ({
      step: 'readTopic',
      data: { ...plan, phase: records < MAX_RECORDS_PER_LISTING * states ? 'projecting' : 'folding' },
    }),
  }),

  checkSource: step<StepData['checkSource']>()({
    action: ({ registry, live }) => {
      // A lost changes index does not matter, because the rebuild does not read it.
      const record = findGeneration(registry, live);
      const { changes: _, ...versions } = record.versions;
      return { name: 'checkIndices', record: { ...record, versions } };
    },
    next: (plan) => ({ step: 'readTopic', data: { ...plan, phase: 'copying' } }),
  }),

  // The offsets are older than the states that a builder copies, so every event that is missing from the
  // states comes after these offsets.
  readTopic: step<StepData['readTopic']>()({
    action: ({ phase, live }) => ({
      name: 'readTopic',
      ...(phase === 'copying' && live !== undefined && { generation: live }),
    }),
    next: (request, { topicId, low, offsets }) => ({
      step: 'addGeneration',
      data: {
        builder: request.builder,
        last: request.last,
        plan: {
          ...planOf(request, request.phase),
          topic_id: topicId,
          first_start: { at: request.builder.started_at, low },
          ...(offsets && { offsets }),
        },
      },
    }),
  }),

  addGeneration: step<StepData['addGeneration']>()({
    action: ({ builder, last, plan }) =>
      updateRegistry((now) => withNewGeneration({ ...now, last: Math.max(now.last, last) }, plan, builder)),
    next: ({ builder }, { after }) => started(after, builder),
  }),

  readUnfinished: step<EntryRequest>()({
    action: () => ({ name: 'readRegistry' }),
    next: (request, registry) => {
      if (request.join !== undefined) {
        if (isReady(registry, request.join)) return { step: 'done', result: { generation: request.join } };
        assertSameVersions(findGeneration(registry, request.join), request.ours);
      }
      const record = unfinishedGeneration(registry);
      if (record) assertRequested(record, request.resume);
      return { step: 'checkTopic', data: { ...request, ...(record && { record }) } };
    },
  }),

  checkTopic: step<StepData['checkTopic']>()({
    action: () => ({ name: 'readTopic' }),
    next: ({ record, ...request }, { topicId, topic }) => {
      if (record?.topic_id !== undefined && record.topic_id !== topicId)
        throw new GenerationError(
          `${describeOtherTopic(topic, record.topic_id, topicId)}. Generation ${record.number} cannot be ` +
            `continued. Run replay cancel ${record.number}, then start a new replay`,
        );
      return record?.origin.from !== 'topic' || record.incomplete_log
        ? { step: 'enterBuild', data: request }
        : { step: 'checkUnreadLog', data: { ...request, record } };
    },
  }),

  checkUnreadLog: step<StepData['checkUnreadLog']>()({
    action: ({ record }) => ({ name: 'checkLog', generation: record.number }),
    next: ({ record: _, ...request }) => ({ step: 'enterBuild', data: request }),
  }),

  enterBuild: step<EntryRequest>()({
    action: (request) => updateRegistry((registry) => entered(registry, request)),
    next: ({ builder, join }, { after }) =>
      join !== undefined && isReady(after, join)
        ? { step: 'done', result: { generation: join } }
        : started(after, builder),
  }),
} satisfies Steps;

/** Whether a generation needs no further builder. It can become ready while a process is joining it. */
const isReady = (registry: Registry, number: number): boolean =>
  findGeneration(registry, number).phase === 'ready';

function afterLog(plan: ReplayPlan): State {
  const { live } = plan;
  return live === undefined
    ? { step: 'readTopic', data: { ...plan, phase: 'folding' } }
    : { step: 'countSource', data: { ...plan, live } };
}

/** Returns the new generation's record, without the members that are known only later. */
function planOf(
  { from, live, rate, incompleteLog, ours, builder }: StepData['planReplay'] & { live?: number },
  phase: GenerationRecord['phase'],
): Omit<GenerationRecord, 'number'> {
  return {
    phase,
    versions: ours,
    created_at: builder.started_at,
    origin: from === 'states' && live !== undefined ? { from, of: live } : { from: 'topic' },
    ...(rate !== undefined && { rate }),
    ...(from === 'topic' && incompleteLog && { incomplete_log: true }),
  };
}

/** @throws GenerationError if the process must not resume or join */
function entered(registry: Registry, { join, resume, rate, ours, builder }: EntryRequest): Registry {
  if (join !== undefined)
    return isReady(registry, join)
      ? withoutBuilder(registry, builder.id)
      : withJoiningBuilder(registry, join, builder);
  const next = withResumingBuilder(registry, builder, resume);
  const record = unfinishedGeneration(next) as GenerationRecord;
  assertSameVersions(record, ours);
  return rate === undefined ? next : withChanges(next, record.number, { rate });
}

const started = (registry: Registry, builder: EntryRequest['builder']): State => ({
  step: 'startBuilder',
  data: { builder, registry, record: unfinishedGeneration(registry) as GenerationRecord },
});

/** @throws GenerationError if another version of the code is building the generation */
function assertSameVersions({ number, versions }: GenerationRecord, ours: Versions): void {
  if (!sameVersions(versions, ours))
    throw new GenerationError(
      `generation ${number} was started with ${describeVersions(versions)}, but this code has ` +
        `${describeVersions(ours)}. Run replay cancel ${number}, then start a new replay` +
        moduleAdvice(versions.rules, ours.rules),
    );
}
