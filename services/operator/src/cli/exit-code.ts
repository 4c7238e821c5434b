/** Exit codes of the command line. The names are the kinds of error that `--json` prints. */
export const EXIT = { ok: 0, failed: 1, usage: 2, refused: 3, interrupted: 130 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/**
 * The JSON on standard output of a command that has no result. Documented in docs/reference/cli.md#output.
 */
export interface ErrorOutput {
  error: { kind: Exclude<keyof typeof EXIT, 'ok'>; message: string };
}

/** Formats a value as the output of `--json`. */
export const jsonOutput = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
