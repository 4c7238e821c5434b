import { RULES, type Rules } from '@vitrine/listing';
import { type CommandContext, connect, type ErrorOutput, runCli } from '@vitrine/operator';
import { projectorSettings } from '@vitrine/projection/settings';
import { type ProjectorOptions, startProjector } from '@vitrine/projector';
import { readSettings } from '@vitrine/runtime/settings';
import type { Deployment } from './deployment.ts';
import { keepEnd, keptLog } from './kept-log.ts';
import { metricOf } from './service-process.ts';

export interface RunningProjector {
  /** Scheme, host and port of health and metrics. */
  admin: string;
  failed: Promise<Error>;
  /** Returns the reasons why the projector is not ready, or none if it is ready. */
  reasons(): Promise<string[]>;
  metric(name: string): Promise<number>;
  stop(): Promise<void>;
}

/**
 * Starts the projector inside the test's process, for tests in which the projector's environment fails, but
 * not its process.
 */
export async function runProjector(
  deployment: Deployment,
  env: Record<string, string> = {},
  options?: ProjectorOptions,
): Promise<RunningProjector> {
  const settings = readSettings(projectorSettings, { ...deployment.env, ...env });
  const log = keptLog('projector');
  const projector = await startProjector(settings, log, options);
  keepEnd(log, projector.failed);
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
  /** The rules that derive items from states. The default is the product's own rules. */
  rules?: Rules;
  /** Aborts when the operator interrupts the command. */
  signal?: AbortSignal;
  env?: Record<string, string>;
}

/** Creates the context of an operator command inside the test's process. */
export async function openCommandContext(
  deployment: Deployment,
  { rules = RULES, signal = new AbortController().signal, env = {} }: CommandContextOptions = {},
): Promise<CommandContext & { close(): Promise<void> }> {
  const settings = readSettings(projectorSettings, { ...deployment.env, ...env });
  const { context, close } = await connect(settings, rules, keptLog('cli'), signal);
  return { ...context, close };
}

export interface CliResult {
  code: number;
  stdout: string;
  /** The progress and the log, followed by the error message if the command failed. */
  output: string;
  /** The output of `--json`. */
  json: Record<string, unknown>;
}

/** Runs an operator command with `--json` in the test's process. */
export async function cli(
  deployment: Deployment,
  args: readonly string[],
  { rules, signal = new AbortController().signal, env = {} }: CommandContextOptions = {},
): Promise<CliResult> {
  let stdout = '';
  let stderr = '';
  const code = await runCli([...args, '--json'], {
    env: { ...deployment.env, LOG_LEVEL: 'error', ...env },
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
    signal,
    ...(rules && { rules }),
  });
  const json = JSON.parse(stdout) as Record<string, unknown> & Partial<ErrorOutput>;
  return { code, stdout, output: `${stderr}${json.error?.message ?? ''}`, json };
}
