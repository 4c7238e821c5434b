import type { Readable } from 'node:stream';
import type { Rules } from '@vitrine/listing';
import type { ProgressTarget } from './progress.ts';

/**
 * Asks a question on the terminal.
 * @returns the typed line, or undefined if this process has no terminal
 * @throws the signal's reason after an interruption
 */
export type Ask = (question: string, signal: AbortSignal) => Promise<string | undefined>;

/** The environment variables, output streams and abort signal of a command-line run. */
export interface CliEnvironment {
  env: NodeJS.ProcessEnv;
  stdout: { write(text: string): unknown };
  stderr: ProgressTarget;
  /** The input for commands that read `-`. */
  stdin?: Readable;
  /** Aborts when the operator interrupts the command. */
  signal: AbortSignal;
  rules?: Rules;
  /** Asks for confirmations. Without this function, commands that need a confirmation require `--yes`. */
  ask?: Ask;
  /** Receives the progress of a command, instead of `stderr`. */
  onProgress?(label: string, done: number, total: number): void;
}
