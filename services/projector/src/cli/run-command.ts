import { SettingsError } from '@vitrine/runtime';
import { DeadLetterError } from '../dead-letters/letter-at.ts';
import type { Rules } from '../feed-item.ts';
import { GenerationError } from '../generations/generation-record.ts';
import type { Open } from './connect.ts';
import { type ErrorOutput, EXIT, type ExitCode, jsonOutput } from './exit-code.ts';
import { Progress, type ProgressTarget } from './progress.ts';

/** The environment of a command line. */
export interface Surroundings {
  env: NodeJS.ProcessEnv;
  stdout: { write(text: string): unknown };
  stderr: ProgressTarget;
  /** Aborts when the operator interrupts. */
  signal: AbortSignal;
  rules?: Rules;
}

/** The result of a command: for programs, for people, and whether the answer is negative. */
export interface Outcome {
  json: unknown;
  text: string;
  refused?: boolean;
}

export type Tell = (label: string, done: number, total: number) => void;

/** Connects, runs the command, prints its result and closes all connections. @returns the exit code */
export async function runCommand<T>(
  surroundings: Surroundings,
  asJson: boolean,
  open: Open<T>,
  work: (operation: T, tell: Tell) => Promise<Outcome>,
): Promise<ExitCode> {
  const { env, stdout, stderr, signal } = surroundings;
  const progress = new Progress(stderr, env);
  try {
    const { operation, close } = await open(surroundings);
    try {
      const { json, text, refused } = await work(operation, (label, done, total) => progress.tell(label, done, total));
      progress.end();
      stdout.write(asJson ? jsonOutput(json) : `${text}\n`);
      return refused ? EXIT.refused : EXIT.ok;
    } finally {
      progress.end();
      await close();
    }
  } catch (error) {
    progress.end();
    const kind = kindOf(error, signal);
    const message = kind === 'interrupted' ? 'interrupted' : error instanceof Error ? error.message : String(error);
    writeError(surroundings, asJson, { kind, message });
    return EXIT[kind];
  }
}

function kindOf(error: unknown, signal: AbortSignal): ErrorOutput['error']['kind'] {
  if (error instanceof GenerationError || error instanceof DeadLetterError) return 'refused';
  if (signal.aborted) return 'interrupted';
  return error instanceof SettingsError ? 'usage' : 'failed';
}

/** Writes an error once: as JSON for programs to standard output, or as text for people to standard error. */
export function writeError({ stdout, stderr }: Surroundings, asJson: boolean, error: ErrorOutput['error']): void {
  if (asJson) stdout.write(jsonOutput({ error } satisfies ErrorOutput));
  else stderr.write(`${error.message}\n`);
}
