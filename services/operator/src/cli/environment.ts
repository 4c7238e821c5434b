import type { Rules } from '@vitrine/listing';
import type { ProgressTarget } from './progress.ts';

/** The environment variables, output streams and abort signal of a command-line run. */
export interface CliEnvironment {
  env: NodeJS.ProcessEnv;
  stdout: { write(text: string): unknown };
  stderr: ProgressTarget;
  /** Aborts when the operator interrupts the command. */
  signal: AbortSignal;
  rules?: Rules;
  /** Receives the progress of a command, instead of `stderr`. */
  onProgress?(label: string, done: number, total: number): void;
}
