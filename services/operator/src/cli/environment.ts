import type { Rules } from '@vitrine/listing';
import type { ProgressTarget } from './progress.ts';

/** The environment of a command line. */
export interface CliEnvironment {
  env: NodeJS.ProcessEnv;
  stdout: { write(text: string): unknown };
  stderr: ProgressTarget;
  /** Aborts when the operator interrupts. */
  signal: AbortSignal;
  rules?: Rules;
}
