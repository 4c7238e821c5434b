import type { CommandContext } from '../command-context.ts';
import type { Outcome, ReportProgress } from './run-command.ts';

/** Turns the work of a command into its action. The work receives the command's arguments and options. */
export type Action<T = CommandContext> = <A extends unknown[]>(
  work: (context: T, report: ReportProgress, ...given: A) => Promise<Outcome>,
) => (...given: A) => Promise<void>;
