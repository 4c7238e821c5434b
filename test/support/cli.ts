import type { Rules } from '@vitrine/listing';
import { type ErrorOutput, runCli } from '@vitrine/operator';
import type { Deployment } from './deployment.ts';

export interface CliResult {
  code: number;
  stdout: string;
  /** The progress and the log, then the error message of a failed command. */
  output: string;
  /** The output of `--json`. */
  json: Record<string, unknown>;
}

/** Runs a command of the operator's command line in the test's process, with `--json`. */
export async function cli(
  deployment: Deployment,
  args: readonly string[],
  { rules, signal = new AbortController().signal }: { rules?: Rules; signal?: AbortSignal } = {},
): Promise<CliResult> {
  let stdout = '';
  let stderr = '';
  const code = await runCli([...args, '--json'], {
    env: { ...deployment.env, LOG_LEVEL: 'error' },
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
    signal,
    ...(rules && { rules }),
  });
  const json = JSON.parse(stdout) as Record<string, unknown> & Partial<ErrorOutput>;
  return { code, stdout, output: `${stderr}${json.error?.message ?? ''}`, json };
}
