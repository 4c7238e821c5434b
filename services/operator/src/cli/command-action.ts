import type { CommandContext } from '../command-context.ts';
import type { Outcome, PagedOutcome, ReportProgress } from './run-command.ts';

/**
 * Converts the work of a command to a commander action. The work receives the arguments and options of the
 * command.
 */
export type Action<T = CommandContext> = <A extends unknown[]>(
  work: (context: T, report: ReportProgress, ...given: A) => Promise<Outcome | PagedOutcome | 'printed'>,
) => (...given: A) => Promise<void>;
