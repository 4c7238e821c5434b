import { openSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { ReadStream, WriteStream } from 'node:tty';
import type { Ask, CliEnvironment } from './environment.ts';

/** A command needs a confirmation, but no terminal is attached. The command ends with a usage error. */
export class ConfirmationError extends Error {
  override readonly name = 'ConfirmationError';
}

/**
 * Returns whether the operator wants the command to continue. Only `y` and `yes` count as a confirmation.
 * @param yes whether the option `--yes` has already answered the question
 * @param question ends with a question mark
 * @throws ConfirmationError without `--yes` and without a terminal; the signal's reason after an interruption
 */
export async function confirmed(
  { ask, signal }: Pick<CliEnvironment, 'ask' | 'signal'>,
  yes: boolean,
  question: string,
): Promise<boolean> {
  if (yes) return true;
  const answer = await ask?.(`${question} [y/N] `, signal);
  if (answer === undefined)
    throw new ConfirmationError(`${question} No terminal is attached, so repeat the command with --yes`);
  return /^y(es)?$/i.test(answer.trim());
}

/** Uses the terminal of the process itself, because standard input may be a pipe that carries data. */
export const askOnTerminal: Ask = async (question, signal) => {
  const terminal = openTerminal();
  if (!terminal) return undefined;
  const { input, output } = terminal;
  // The terminal itself edits the line and turns Ctrl-C into a signal.
  const lines = createInterface({ input, output, terminal: false });
  try {
    // Without a line, the terminal's end of input (Ctrl-D) counts as an empty answer.
    const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
    return await Promise.race([lines.question(question, { signal }), ended]);
  } finally {
    lines.close();
    input.destroy();
    output.destroy();
  }
};

function openTerminal(): { input: ReadStream; output: WriteStream } | undefined {
  try {
    return {
      input: new ReadStream(openSync('/dev/tty', 'r')),
      output: new WriteStream(openSync('/dev/tty', 'w')),
    };
  } catch {
    return undefined;
  }
}
