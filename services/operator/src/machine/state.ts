import type { ChangesPair, Registry } from '@vitrine/feed-index';
import type { EpochMove } from '@vitrine/projection/generations';
import type { Handover } from '../replay/handover.ts';
import type { ActionName, ActionOf, Failure, Responses } from './action.ts';

/** The conditions under which a generation may become live. */
export interface SwitchOptions {
  /** Maximum number of differing items. */
  allowedDifferences: number;
  /** Whether to ignore differences that the rules explain. */
  allowExplained: boolean;
  /** Maximum age of the verification result in milliseconds. */
  maxVerificationAge: number;
}

/** A switch with its conditions, or a rollback, as the operator requested it. */
interface SwitchRequest {
  command: 'switch' | 'rollback';
  /** Undefined for the newest ready generation, or for the previous one. */
  requested: number | undefined;
  /** Absent for a rollback, which needs no verification. */
  options?: SwitchOptions;
  /** A new id for the mark. */
  mark: string;
}

/** A switch or rollback that has chosen its generation. */
export interface Move extends Pick<SwitchRequest, 'command' | 'mark'> {
  registry: Registry;
  /** Absent if no generation is live, because the indices were lost. */
  from?: number;
  to: number;
  previous?: number;
}

/** The work that follows the move of the aliases. Repeating it changes nothing. */
export interface Completion {
  registry: Registry;
  live: number;
  result: Switched;
}

/** What a switch or rollback reports. */
export interface Switched {
  /** Absent if no generation was live, because the indices were lost, or if `to` was already live. */
  from?: number;
  to: number;
}

/** The removal of a generation by `prune` or `replay cancel`. */
export interface Removal {
  number: number;
}

/** What each step of the machine knows. The machine is in one step at a time. */
export interface StepData {
  readRegistry: SwitchRequest;
  chooseGeneration: SwitchRequest & { registry: Registry };
  mark: Move;
  checkIndices: Move;
  measureLag: Move;
  readLastHandover: Move;
  readEpoch: Move;
  parkEpoch: Move & { epochs: EpochMove };
  takeMarks: Move & Connection;
  recordEpoch: Move & Partial<Connection> & { marks?: ChangesPair };
  refreshItems: Move & { epochs: EpochMove };
  confirmMark: Move & { epochs: EpochMove };
  moveAliases: Move & { epochs: EpochMove };
  releaseMark: Move & { error?: Error };
  checkLive: Completion;
  liftEntries: { transition: Handover; next: State } & Partial<Completion>;
  recordHandover: { transition: Handover; next: State } & Partial<Completion>;
  readExpired: Partial<Completion>;
  deleteExpired: Partial<Completion> & { expired: readonly number[] };
  forgetExpired: Partial<Completion> & { expired: readonly number[] };

  cancel: object;
  waitForBuilders: Removal;
  readRoles: Removal;
  markRemoval: Removal;
  readRolesMarked: Removal;
  waitForGroup: Removal;
  readRolesDrained: Removal;
  closeItems: Removal;
  readRolesClosed: Removal;
  reopenItems: Removal;
  unmarkRemoval: Removal;
  findChanges: Removal;
  readHistory: Removal;
  deleteOwnChanges: Removal;
  keepChanges: Removal;
  closeChanges: Removal;
  deleteIndices: Removal;
  deleteGroup: Removal;
  removeRecord: Removal;
}

/** The live epochs before and after, and where their generations may begin to differ. */
export interface Connection {
  ends?: EpochMove['ends'];
  after: NonNullable<EpochMove['ends']>;
  base?: ChangesPair;
}

export type StepName = keyof StepData;

/** What a command returns at its end. */
export type Result = Switched | Removal | undefined;

/** A warning for the log: its message, and what it is about. */
interface Warning {
  message: string;
  about: object;
}

export type State = (
  | { [S in StepName]: { step: S; data: StepData[S] } }[StepName]
  | { step: 'done'; result: Result }
  | { step: 'failed'; error: Error; advice?: string }
) & { warning?: Warning };

/** A step asks for one action, and its response decides the next step. */
export interface Step<Data, Name extends ActionName> {
  action(data: Data): ActionOf<Name>;
  next(data: Data, response: Responses[Name], now: number): State;
  /** Without it, the command ends with the error. */
  failed?(data: Data, failure: Failure): State;
}

export type Steps<Names extends StepName> = { [S in Names]: Step<StepData[S], never> };

/** Checks the types of one step. */
export const step =
  <Data>() =>
  <Name extends ActionName>(one: Step<Data, Name>): Step<Data, never> =>
    one as Step<Data, never>;

export const failedWith = (error: Error, advice?: string): State => ({
  step: 'failed',
  error,
  ...(advice !== undefined && { advice }),
});
