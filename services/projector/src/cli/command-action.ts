import type { Operation } from '../operation.ts';
import type { Outcome, Tell } from './run-command.ts';

/** Makes a command's action of the work it does; the work gets the command's arguments and options. */
export type Action<T = Operation> = <A extends unknown[]>(
  work: (operation: T, tell: Tell, ...given: A) => Promise<Outcome>,
) => (...given: A) => Promise<void>;
