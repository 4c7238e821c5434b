/** The exit codes of the command line. Their names are the error kinds that `--json` prints. */
export const EXIT = { ok: 0, failed: 1, usage: 2, refused: 3, interrupted: 130 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The JSON that a failed command prints to standard output. docs/reference/cli.md#output documents it. */
export interface ErrorOutput {
  error: { kind: Exclude<keyof typeof EXIT, 'ok'>; message: string };
}

/** Formats a result for `--json`. */
export const jsonOutput = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Formats an error for `--json`. The error is one line, because it may follow lines from `changes tail`. */
export const jsonError = (error: ErrorOutput['error']): string => `${JSON.stringify({ error })}\n`;
