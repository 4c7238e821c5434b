import { GenerationError } from '@vitrine/feed-index';
import type { ScanProgress } from '@vitrine/kafka';
import { failureReason } from '@vitrine/runtime/elasticsearch';
import { SettingsError } from '@vitrine/runtime/settings';
import type { CommandContext } from '../command-context.ts';
import { ConsoleUsageError } from '../console/console-options.ts';
import { DeadLetterError } from '../dead-letters/dead-letter-ref.ts';
import { type ErrorOutput, EXIT, type ExitCode, jsonError, jsonOutput } from '../exit-code.ts';
import { ChangesExpiredError } from '../followers/feed-client.ts';
import { UnknownReasonError } from '../listings/listed.ts';
import { ReconcileRefusedError } from '../reconcile/corrections/reconcile-refused-error.ts';
import { RepairError } from '../repair/repair-events.ts';
import { printableLines } from '../text/plain-text.ts';
import { ConfirmationError } from './confirmation.ts';
import type { Open } from './connect.ts';
import type { CliEnvironment } from './environment.ts';
import { Progress } from './progress.ts';

/** The result of a command, as JSON for programs and as text for people. */
export interface Outcome {
  json: unknown;
  text: string;
  refused?: boolean;
}

/** A long result, which a command prints part by part. `--json` prints each document on one line. */
export interface PagedOutcome {
  pages: AsyncIterable<{ documents: readonly unknown[]; text: string }>;
}

export type ReportProgress = (label: string, done: number, total: number) => void;

/**
 * Connects, runs a command, prints its result and closes all connections.
 * @param work returns `printed` if the command has printed its results itself, until it was interrupted
 * @returns the exit code
 */
export async function runCommand<T>(
  environment: CliEnvironment,
  asJson: boolean,
  open: Open<T>,
  work: (context: T, report: ReportProgress) => Promise<Outcome | PagedOutcome | 'printed'>,
): Promise<ExitCode> {
  const { env, signal, onProgress } = environment;
  // Only the progress display may control the terminal.
  const progress = new Progress(environment.stderr, env);
  const printing = printableOutput(environment);
  try {
    const { context, close } = await open(printing);
    try {
      const outcome = await work(context, (label, done, total) => {
        if (onProgress) onProgress(label, done, total);
        else progress.report(label, done, total);
      });
      progress.end();
      if (outcome === 'printed') return signal.aborted ? EXIT.interrupted : EXIT.ok;
      if ('pages' in outcome) {
        for await (const { documents, text } of outcome.pages) {
          progress.end();
          for (const document of documents)
            if (asJson) printing.stdout.write(`${JSON.stringify(document)}\n`);
          if (!asJson) printing.stdout.write(`${text}\n`);
        }
        return EXIT.ok;
      }
      const { json, text, refused } = outcome;
      printing.stdout.write(asJson ? jsonOutput(json) : `${text}\n`);
      return refused ? EXIT.refused : EXIT.ok;
    } finally {
      progress.end();
      await close();
    }
  } catch (error) {
    progress.end();
    const kind = kindOf(error, signal);
    const message = kind === 'interrupted' ? 'interrupted' : failureReason(error);
    writeError(printing, asJson, { kind, message });
    return EXIT[kind];
  }
}

/**
 * A command's output can contain text from a record, an index or a foreign service. This text must not
 * control the terminal.
 */
function printableOutput(environment: CliEnvironment): CliEnvironment {
  const { stdout, stderr } = environment;
  return {
    ...environment,
    stdout: { write: (text) => stdout.write(printableLines(text)) },
    stderr: { isTTY: stderr.isTTY === true, write: (text) => stderr.write(printableLines(text)) },
  };
}

function kindOf(error: unknown, signal: AbortSignal): ErrorOutput['error']['kind'] {
  if (
    [GenerationError, DeadLetterError, ChangesExpiredError, ReconcileRefusedError, RepairError].some(
      (kind) => error instanceof kind,
    )
  )
    return 'refused';
  if (signal.aborted) return 'interrupted';
  return [SettingsError, ConsoleUsageError, ConfirmationError, UnknownReasonError].some(
    (kind) => error instanceof kind,
  )
    ? 'usage'
    : 'failed';
}

/**
 * Writes an error either as JSON to standard output (for programs) or as text to standard error (for people).
 */
export function writeError(
  { stdout, stderr }: CliEnvironment,
  asJson: boolean,
  error: ErrorOutput['error'],
): void {
  if (asJson) stdout.write(jsonError(error));
  else stderr.write(`${error.message}\n`);
}

/** Reports the progress of a topic scan. */
export const reading =
  (report: ReportProgress) =>
  ({ done, total }: ScanProgress): void =>
    report('reading records', done, total);

/**
 * Converts the work of a command to a commander action. The work receives the command's arguments and
 * options.
 */
export type Action<T = CommandContext> = <A extends unknown[]>(
  work: (context: T, report: ReportProgress, ...given: A) => Promise<Outcome | PagedOutcome | 'printed'>,
) => (...given: A) => Promise<void>;
