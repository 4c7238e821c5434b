export { endOnSignals, exitWithReader, INTERRUPTED_EXIT_CODE, InterruptedError } from './interruption.ts';
export { onParentGone } from './parent-watch.mjs';
export { isRunning, type ProcessIdentity, signalProcess, startTimeOf } from './process-identity.mjs';
export {
  type OwnedProcess,
  type ProcessExit,
  ProcessStartError,
  ProcessSupervisor,
} from './process-supervisor.ts';
