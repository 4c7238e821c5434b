import type { Rules } from '@vitrine/listing';
import { readSettings } from '@vitrine/runtime/settings';
import { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import type { RunCommand } from '../console/command-runs.ts';
import type { ConsoleOptions } from '../console/console-options.ts';
import type { StartedConsole } from '../console/run-console.ts';
import type { StatusSource } from '../console/status-watch.ts';
import { consoleSettings } from '../settings.ts';
import { gatherStatus } from '../status/gather-status.ts';
import { type Connected, type Open, openWithTimeout } from './connect.ts';
import type { CliEnvironment } from './environment.ts';
import { portNumber } from './integers.ts';
import type { Action } from './run-command.ts';

/** The console connects later, and again after a failure, so that it can say which engine is missing. */
export const openConsole: Open<CliEnvironment> = async (environment) => ({
  context: environment,
  close: async () => undefined,
});

/**
 * The data team's console: a page that shows what the other commands print.
 * @param runCli runs a command for the console's page
 */
export function consoleCommand(
  action: Action<CliEnvironment>,
  environment: CliEnvironment,
  asJson: () => boolean,
  runCli: (argv: readonly string[], environment: CliEnvironment) => Promise<number>,
): Command {
  return new Command('console')
    .description('serve a page that shows status, rebuilds, listings and dead letters, until Ctrl-C')
    .option('--port <n>', 'port of the page; 0 selects a free port', portNumber, 8090)
    .option('--host <address>', 'address on which the console listens', '127.0.0.1')
    .option('--allow-actions', 'let the page run replay, verify, switch, rollback, prune and retry', false)
    .option(
      '--allow-public-interface',
      'accept a --host that other machines can reach, where anyone can read the console',
      false,
    )
    .action(
      action(async ({ env, signal, rules }, _report, options: ConsoleOptions) => {
        // The other commands start faster without the console's code.
        const { runConsole } = await import('../console/run-console.ts');
        const { PROMETHEUS_URL: prometheusUrl } = readSettings(consoleSettings, env);
        await runConsole(options, {
          signal,
          openStatus: () => statusSource(env, rules, signal),
          runCommand: commandRunner(env, rules, runCli),
          prometheusUrl,
          onReady: (started) =>
            environment.stdout.write(asJson() ? `${JSON.stringify(started)}\n` : announcement(started)),
        });
        return 'printed';
      }),
    );
}

function announcement({ url, allowActions, isPublic }: StartedConsole): string {
  const lines = [`Console: ${url}`];
  if (allowActions)
    lines.push('The URL contains the token that actions require. Do not share it. Ctrl-C ends the console.');
  else lines.push('The console only reads. --allow-actions lets it run commands. Ctrl-C ends the console.');
  if (isPublic) lines.push('Warning: every machine that reaches this address can read the console.');
  return `${lines.join('\n')}\n`;
}

async function statusSource(
  env: NodeJS.ProcessEnv,
  rules: Rules | undefined,
  signal: AbortSignal,
): Promise<StatusSource> {
  const { context, close }: Connected<CommandContext> = await openWithTimeout(
    { env, stdout: NOWHERE, stderr: NOWHERE, signal, ...(rules && { rules }) },
    STATUS_TIMEOUT_MS,
  );
  return { read: () => gatherStatus(context), close };
}

/** People wait for the status, and the page must soon say that Elasticsearch is not responding. */
const STATUS_TIMEOUT_MS = 10_000;
const NOWHERE = { write: () => true };

const commandRunner =
  (
    env: NodeJS.ProcessEnv,
    rules: Rules | undefined,
    runCli: Parameters<typeof consoleCommand>[3],
  ): RunCommand =>
  async (argv, { signal, onProgress, onMessage }) => {
    let stdout = '';
    const code = await runCli(['--json', ...argv], {
      env,
      stdout: { write: (text) => (stdout += text) },
      stderr: { write: (text) => onMessage?.(text) },
      signal,
      onProgress,
      ...(rules && { rules }),
    });
    return { code, stdout };
  };
