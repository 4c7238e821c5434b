import { Random } from '@vitrine/fixtures';
import {
  FAULT_KINDS,
  FAULT_NAMES,
  type FaultKind,
  OPERATOR_STEPS,
  type OperatorStep,
  type PlannedFault,
  SERVICES,
} from './fault-kinds.ts';
import type { FaultWindow } from './windows.ts';

/** A planned fault. All times are in seconds. */
export interface Fault {
  /** The start of the fault, counted from the start of the load. */
  readonly at: number;
  readonly kind: PlannedFault;
  /** Number of the service, from 1. 0 if the fault has no target. */
  readonly target: number;
  readonly duration: number;
}

interface OperatorWork {
  readonly at: number;
  readonly kind: OperatorStep;
}

export interface Schedule {
  readonly faults: readonly Fault[];
  /** The work of the operator. */
  readonly operator: readonly OperatorWork[];
  /** The kinds for which the run is too short. */
  readonly leftOut: readonly (PlannedFault | OperatorStep)[];
}

/** A run of this length contains every kind. */
export const COMPLETE_MINUTES = 20;
const FIRST_FAULT_AT = 20;
const LAST_FAULT_BEFORE_END = 30;
const FIRST_WORK_AT = 45;
const WORK_EVERY = 150;
/** A rebuild that begins later would end after the load. */
const LAST_WORK_BEFORE_END = 90;
/**
 * After this share of the run, the last service of each kind keeps its process, so that its memory can be
 * measured for a long time. In a run of an hour, faults may begin minutes later than planned, so the share is
 * small.
 */
const MEASURED_AFTER = 1 / 8;
const ENDS_ITS_PROCESS = new Set<PlannedFault>([
  'kill-projector',
  'terminate-projector',
  'kill-query',
  'terminate-query',
]);

/** Plans the faults of a run. Pure: the same seed and length give the same schedule. */
export function planSchedule(seed: number, minutes: number): Schedule {
  const end = minutes * 60;
  const random = new Random(seed);
  const faults: Fault[] = [];
  let at = FIRST_FAULT_AT;
  for (let queue: PlannedFault[] = []; ; ) {
    if (queue.length === 0) queue = shuffled(FAULT_NAMES, random);
    const kind = queue.shift() as PlannedFault;
    const { seconds, targets, restSeconds }: FaultKind = FAULT_KINDS[kind];
    const duration = random.integer(seconds[0], seconds[1]);
    if (at + duration > end - LAST_FAULT_BEFORE_END) break;
    const drawn = targets === 0 ? 0 : random.integer(1, targets);
    const spared = ENDS_ITS_PROCESS.has(kind) && at > MEASURED_AFTER * end;
    faults.push({ at, kind, target: spared && drawn === SERVICES ? 1 : drawn, duration });
    at += duration + restSeconds + random.integer(0, 4);
  }
  const operator: OperatorWork[] = [];
  for (let i = 0, at = FIRST_WORK_AT; at <= end - LAST_WORK_BEFORE_END; i++, at += WORK_EVERY)
    operator.push({ at, kind: OPERATOR_STEPS[i % OPERATOR_STEPS.length] as OperatorStep });
  const planned = new Set<string>([...faults, ...operator].map(({ kind }) => kind));
  const leftOut = [...FAULT_NAMES, ...new Set(OPERATOR_STEPS)].filter((kind) => !planned.has(kind));
  return { faults, operator, leftOut };
}

/** The name of a fault with its target, for the user. */
export const nameOf = ({ kind, target }: Pick<FaultWindow, 'kind' | 'target'>): string =>
  target > 0 ? `${kind} ${target}` : kind;

function shuffled<T>(values: readonly T[], random: Random): T[] {
  const order = [...values];
  for (let i = order.length - 1; i > 0; i--) {
    const other = random.integer(0, i);
    [order[i], order[other]] = [order[other] as T, order[i] as T];
  }
  return order;
}
