import { SettingsError } from '@vitrine/runtime';
import { DeadLetterError } from '../dead-letters/letter-at.ts';
import type { Rules } from '../feed-item.ts';
import { GenerationError } from '../generations/generation-record.ts';
import type { Open } from './connect.ts';
import { Progress, type ProgressTarget } from './progress.ts';

/** Exit codes of the command line. */
export const EXIT = { ok: 0, failed: 1, usage: 2, refused: 3, interrupted: 130 } as const;

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
): Promise<number> {
  const { stdout, stderr, signal } = surroundings;
  const progress = new Progress(stderr);
  try {
    const { operation, close } = await open(surroundings);
    try {
      const { json, text, refused } = await work(operation, (label, done, total) => progress.tell(label, done, total));
      progress.end();
      stdout.write(asJson ? `${JSON.stringify(json, null, 2)}\n` : `${text}\n`);
      return refused ? EXIT.refused : EXIT.ok;
    } finally {
      progress.end();
      await close();
    }
  } catch (error) {
    progress.end();
    const message = error instanceof Error ? error.message : String(error);
    const isNo = error instanceof GenerationError || error instanceof DeadLetterError;
    if (signal.aborted && !isNo) {
      stderr.write('interrupted\n');
      return EXIT.interrupted;
    }
    stderr.write(`${message}\n`);
    if (error instanceof SettingsError) return EXIT.usage;
    return isNo ? EXIT.refused : EXIT.failed;
  }
}
