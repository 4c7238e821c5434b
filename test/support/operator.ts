import { RULES, type Rules } from '@vitrine/listing';
import { type CommandContext, connect, type ErrorOutput, runCli } from '@vitrine/operator';
import { projectorSettings } from '@vitrine/projection/settings';
import { createLog } from '@vitrine/runtime/log';
import { readSettings } from '@vitrine/runtime/settings';
import type { Deployment } from './deployment.ts';

export interface OperationOptions {
  /** The rules that derive items from states. Default: those of the code. */
  rules?: Rules;
  /** Aborts like an operator's interruption. */
  signal?: AbortSignal;
  env?: Record<string, string>;
}

/** The context of an operator command, inside the test's process. */
export async function createOperation(
  deployment: Deployment,
  { rules = RULES, signal = new AbortController().signal, env = {} }: OperationOptions = {},
): Promise<CommandContext & { close(): Promise<void> }> {
  const settings = readSettings(projectorSettings, { ...deployment.env, ...env });
  const { context, close } = await connect(
    settings,
    rules,
    createLog('cli', process.env.TEST_LOG ?? 'silent'),
    signal,
  );
  return { ...context, close };
}

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
