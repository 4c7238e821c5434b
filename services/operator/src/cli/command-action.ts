import type { Operation } from '../command-context.ts';
import type { Outcome, Tell } from './run-command.ts';

/** Turns the work of a command into its action. The work receives the command's arguments and options. */
export type Action<T = Operation> = <A extends unknown[]>(
  work: (operation: T, tell: Tell, ...given: A) => Promise<Outcome>,
) => (...given: A) => Promise<void>;
