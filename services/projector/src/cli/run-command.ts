import { createLog, readSettings, SettingsError } from '@vitrine/runtime';
import { DeadLetterError } from '../dead-letters/letter-at.ts';
import { RULES, type Rules } from '../feed-item.ts';
import { GenerationError } from '../generations/generation-record.ts';
import type { Operation } from '../operation.ts';
import { checkProjectorSettings, projectorSettings } from '../settings.ts';
import { connect } from './connect.ts';
import { Progress, type ProgressTarget } from './progress.ts';

/** Exit codes of the command line. */
export const EXIT = { ok: 0, failed: 1, usage: 2, refused: 3, interrupted: 130 } as const;

/** What a command line runs in. */
export interface Surroundings {
  env: NodeJS.ProcessEnv;
  stdout: { write(text: string): unknown };
  stderr: ProgressTarget;
  /** Aborts when the operator interrupts. */
  signal: AbortSignal;
  rules?: Rules;
}

/** What a command hands back: for a program, for a person, and whether the answer is a no. */
export interface Outcome {
  json: unknown;
  text: string;
  refused?: boolean;
}

export type Tell = (label: string, done: number, total: number) => void;

/** Reads the settings, connects, does the work, prints what came of it, and lets go of everything. @returns the exit code */
export async function runCommand(
  { env, stdout, stderr, signal, rules = RULES }: Surroundings,
  asJson: boolean,
  work: (operation: Operation, tell: Tell) => Promise<Outcome>,
): Promise<number> {
  const progress = new Progress(stderr);
  try {
    const settings = readSettings(projectorSettings, { LOG_LEVEL: 'warn', ...env }, checkProjectorSettings);
    const log = createLog('cli', settings.LOG_LEVEL, 2);
    const { operation, close } = await connect(settings, rules, log, signal);
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
