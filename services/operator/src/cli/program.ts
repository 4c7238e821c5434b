import { Command, CommanderError, Option } from 'commander';
import { EXIT, jsonOutput } from '../exit-code.ts';
import { checkCommand } from './check-command.ts';
import { type Open, openCheck, openCommandContext, openTopics } from './connect.ts';
import { consoleCommand, openConsole } from './console-command.ts';
import type { CliEnvironment } from './environment.ts';
import { followerCommands, openFollower } from './follower-commands.ts';
import { generationCommands } from './generation-commands.ts';
import { listingsCommand } from './listings-command.ts';
import { readCommands } from './read-commands.ts';
import { reconcileCommand, reconciliationCommand } from './reconcile-command.ts';
import { repairCommand } from './repair-command.ts';
import { type Action, runCommand, writeError } from './run-command.ts';
import { topicsCommand } from './topics-command.ts';

/**
 * Runs the operator's command line.
 * @param argv the arguments after the program's name
 * @returns the exit code: 0 for success, 1 for failure, 2 for a usage error, 3 for a negative answer, 130
 * after an interruption
 */
export async function runCli(argv: readonly string[], environment: CliEnvironment): Promise<number> {
  let code: number = EXIT.ok;
  let help = '';
  let usageError = '';
  const program = new Command('npm run cli --')
    .description(
      'Operates a running Vitrine system. All commands except changes and export read the settings of the projector.',
    )
    .addOption(new Option('--json', 'print the result or the error as JSON to standard output'))
    .addHelpText(
      'after',
      '\nExit codes: 0 success, 1 failure, 2 usage error, 3 negative answer (refusal or differences), 130 ' +
        'interruption.\nCommands report progress on standard error.',
    )
    .configureOutput({ writeOut: (text) => (help += text), writeErr: (text) => (usageError += text) })
    .showHelpAfterError('(--help lists the commands and options)')
    .exitOverride();
  const asJson = () => program.opts<{ json?: boolean }>().json ?? false;
  const actionOn =
    <T>(open: Open<T>): Action<T> =>
    (work) =>
    async (...given) => {
      code = await runCommand(environment, asJson(), open, (context, report) =>
        work(context, report, ...given),
      );
    };
  const action = actionOn(openCommandContext);
  for (const command of [
    ...generationCommands(action, environment),
    ...readCommands(action),
    listingsCommand(action),
    reconcileCommand(action, environment),
    reconciliationCommand(action),
    repairCommand(action, environment),
    ...followerCommands(actionOn(openFollower), asJson),
    checkCommand(actionOn(openCheck), environment),
    topicsCommand(actionOn(openTopics)),
    consoleCommand(actionOn(openConsole), environment, asJson, runCli),
  ])
    program.addCommand(inherit(command, program));
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) {
      environment.stdout.write(asJson() ? jsonOutput({ help }) : help);
      return EXIT.ok;
    }
    writeError(environment, asJson(), { kind: 'usage', message: usageError.trimEnd() });
    return EXIT.usage;
  }
}

/** Commander passes these settings only to commands that it creates itself. */
function inherit(command: Command, program: Command): Command {
  command.copyInheritedSettings(program);
  for (const child of command.commands) inherit(child, program);
  return command;
}
