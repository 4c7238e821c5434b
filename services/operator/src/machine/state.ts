import type {
  Builder,
  ChangesPair,
  GenerationRecord,
  IndexIds,
  Registry,
  Scan,
  Versions,
} from '@vitrine/feed-index';
import type { EpochMove } from '@vitrine/projection/generations';
import type { Handover } from '../replay/handover.ts';
import type { ActionName, ActionOf, Failure, Responses } from './action.ts';

/** The conditions under which a generation may become live. */
export interface SwitchOptions {
  /** The maximum number of differing items. */
  allowedDifferences: number;
  /** Whether to ignore differences that the rules explain. */
  allowExplained: boolean;
  /** The maximum age of the verification result in milliseconds. */
  maxVerificationAge: number;
}

/** A switch with its conditions, or a rollback, as the operator requested it. */
interface SwitchRequest {
  command: 'switch' | 'rollback';
  /** The requested generation. Undefined stands for the newest ready one, or for the previous one. */
  requested: number | undefined;
  /** The conditions, which are absent for a rollback because it needs no verification. */
  options?: SwitchOptions;
  /** A new id for the mark. */
  mark: string;
}

/** A switch or rollback that has chosen its generation. */
export interface Move extends Pick<SwitchRequest, 'command' | 'mark'> {
  registry: Registry;
  /** The live generation, which is absent if none is live because the indices were lost. */
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
  /**
   * The generation that was live. It is absent if none was live because the indices were lost, or if `to` was
   * already live.
   */
  from?: number;
  to: number;
}

/** The removal of a generation by `prune` or `replay cancel`. */
export interface Removal {
  number: number;
}

/** A new rebuild, as the operator requested it. */
export interface ReplayRequest {
  from: 'topic' | 'states';
  /** The maximum number of records or states per second. */
  rate?: number;
  /** Whether to accept a topic that has lost its oldest records. */
  incompleteLog: boolean;
  /** Whether to build without the rules module of the live generation. */
  withoutRulesModule?: boolean;
  /** The versions that this process builds. */
  ours: Versions;
  /** A new identity for this process. */
  builder: Builder;
}

/** A new rebuild that has read the registry, and then the live generation and the last number in use. */
export interface ReplayPlan extends ReplayRequest {
  registry: Registry;
  live?: number;
  last: number;
}

/** A process that continues an interrupted rebuild, or joins the builders of a generation. */
export interface EntryRequest extends Pick<ReplayRequest, 'rate' | 'ours' | 'builder'> {
  /** The generation to join, which is absent for a process that resumes. */
  join?: number;
  /** The generation to resume. It is absent for the unfinished generation, whichever it is. */
  resume?: number;
}

/** A builder at work, with the generation as it last saw it. */
export interface Building {
  record: GenerationRecord;
}

/** What a builder reports. */
export interface Replayed {
  generation: number;
  /**
   * Whether a projector writes the generation at the end. It is absent if this builder found the generation
   * ready.
   */
  hasProjector?: boolean;
}

/** The end of a builder's work. */
type BuilderEnd = { result: Replayed } | { error: Error };

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

  cancel: Partial<Removal>;
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

  planReplay: ReplayRequest;
  checkBuildable: ReplayRequest & { registry: Registry };
  checkScans: Omit<ReplayPlan, 'last'>;
  findNumber: Omit<ReplayPlan, 'last'>;
  checkLog: ReplayPlan;
  countSource: ReplayPlan & { live: number };
  checkSource: ReplayPlan & { live: number };
  readTopic: ReplayPlan & { phase: 'folding' | 'projecting' | 'copying' };
  addGeneration: { builder: Builder; last: number; plan: Omit<GenerationRecord, 'number'> };
  readUnfinished: EntryRequest;
  checkTopic: EntryRequest & Partial<Building>;
  checkUnreadLog: EntryRequest & Building;
  enterBuild: EntryRequest;

  startBuilder: Building & { builder: Builder; registry: Registry };
  readPhase: object;
  createIndices: Building;
  recordIndices: Building & { created: IndexIds };
  checkCreated: Building;
  joinGroup: Building;
  readLog: Building;
  endReading: Building;
  leaveGroup: { result?: Replayed; error?: Error };
  waitForFolding: Building;
  readShards: Building;
  createWriters: Building & Pick<Scan, 'slices' | 'total'>;
  recordScan: Building & { scan: Scan };
  beginGroup: Building;
  writeSlices: Building;
  startGroup: Building;
  revokeWriters: Building;
  endScan: Building;
  openIndices: Building & { isMember?: true };
  catchUp: Building;
  refreshBuilt: Building;
  takeOverRemovals: Building;
  markReady: Building & { completed: Pick<GenerationRecord, 'caught_up'> };
  waitForProjector: Building;
  leave: BuilderEnd;
}

/** The live epochs before and after, and where their generations may begin to differ. */
export interface Connection {
  ends?: EpochMove['ends'];
  after: NonNullable<EpochMove['ends']>;
  base?: ChangesPair;
}

export type StepName = keyof StepData;

/** What a command returns at its end. */
export type Result = Switched | Removal | Replayed | undefined;

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

/** A step requests one action, and the action's response determines the next step. */
export interface Step<Data, Name extends ActionName> {
  action(data: Data): ActionOf<Name>;
  /**
   * @throws GenerationError if the response does not allow the command, for example after a refused action
   */
  next(data: Data, response: Responses[Name], now: number): State;
  /** Handles a failure. Without this function, the command ends with the error. */
  failed?(data: Data, failure: Failure): State;
}

/** Some of the steps. `model.ts` needs all of them. */
export type Steps = { [S in StepName]?: Step<StepData[S], never> };

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
