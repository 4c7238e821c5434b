export interface ProcessIdentity {
  readonly pid: number;
  /** The start time that `startTimeOf` returned. */
  readonly startTime: string | undefined;
}
export function startTimeOf(pid: number): string | undefined;
export function parentOf(pid: number): number | undefined;
export function isRunning(identity: ProcessIdentity): boolean;
export function signalProcess(pid: number, name: NodeJS.Signals | 0): boolean;
