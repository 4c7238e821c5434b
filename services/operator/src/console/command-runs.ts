import { ProgressRate, type ProgressView, secondsLeft } from '../progress-rate.ts';

/** The result of a command: the exit code of the command line, and the text that `--json` prints. */
export interface CommandResult {
  code: number;
  stdout: string;
}

export interface CommandRunOptions {
  signal: AbortSignal;
  onProgress(label: string, done: number, total: number): void;
  /** Receives what the command writes for people: warnings from the log, and reports from workers. */
  onMessage?(text: string): void;
}

/** Runs a command-line command with `--json` in this process. Never rejects. */
export type RunCommand = (argv: readonly string[], options: CommandRunOptions) => Promise<CommandResult>;

/** The progress of a command, as the page shows it. */
export interface ReportedProgress extends Omit<ProgressView, 'rate'> {
  /** Units per second. The rate is absent until a measurement is possible. */
  rate?: number;
  secondsLeft?: number;
}

/** Follows the progress of one command. */
export class ProgressReport {
  readonly #rate = new ProgressRate();
  latest: ReportedProgress | undefined;

  readonly report = (label: string, done: number, total: number): void => {
    const view = this.#rate.report(label, done, total);
    const left = secondsLeft(view);
    this.latest = {
      label,
      done,
      total,
      ...(view.rate !== undefined && { rate: view.rate }),
      ...(left !== undefined && { secondsLeft: left }),
    };
  };
}
