import { RULES, type Rules } from '@vitrine/listing';
import { type CommandContext, connect, type ErrorOutput, runCli } from '@vitrine/operator';
import { projectorSettings } from '@vitrine/projection/settings';
import { type ProjectorOptions, startProjector } from '@vitrine/projector';
import { createLog } from '@vitrine/runtime/log';
import { readSettings } from '@vitrine/runtime/settings';
import type { Deployment } from './deployment.ts';
import { metricOf } from './service-process.ts';

export interface RunningProjector {
  /** Scheme, host and port of health and metrics. */
  admin: string;
  failed: Promise<Error>;
  /** The reasons why it is not ready. Empty if it is ready. */
  reasons(): Promise<string[]>;
  metric(name: string): Promise<number>;
  stop(): Promise<void>;
}

/** The projector inside the test's process, for faults of its environment and not of its process. */
export async function runProjector(
  deployment: Deployment,
  env: Record<string, string> = {},
  options?: ProjectorOptions,
): Promise<RunningProjector> {
  const settings = readSettings(projectorSettings, { ...deployment.env, ...env });
  const projector = await startProjector(
    settings,
    createLog('projector', process.env.TEST_LOG ?? 'silent'),
    options,
  );
  const admin = `http://127.0.0.1:${projector.adminPort}`;
  return {
    admin,
    failed: projector.failed,
    stop: projector.stop,
    reasons: async () =>
      ((await (await fetch(`${admin}/health/ready`)).json()) as { reasons: string[] }).reasons,
    metric: (name) => metricOf(admin, name),
  };
}

export interface CommandContextOptions {
  /** The rules that derive items from states. Default: those of the code. */
  rules?: Rules;
  /** Aborts like an operator's interruption. */
  signal?: AbortSignal;
  env?: Record<string, string>;
}

/** The context of an operator command, inside the test's process. */
export async function openCommandContext(
  deployment: Deployment,
  { rules = RULES, signal = new AbortController().signal, env = {} }: CommandContextOptions = {},
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
