import { EnginesError } from '@vitrine/engines';
import { endOnSignals, exitWithReader, InterruptedError } from '@vitrine/runtime/processes';
import { SettingsError } from '@vitrine/runtime/settings';
import { HELP, parseCommand } from './command-line.ts';
import { assertFree, consolePorts, PortsTakenError, projectorPorts, queryPorts } from './ports.ts';
import { Screen } from './screen.ts';
import { ServiceDiedError } from './service-child.ts';
import { runSession } from './session.ts';
import { readDemoSettings } from './settings.ts';

const FAILED = 1;
const WRONG_CALL = 2;

/** Runs until Ctrl-C or a failure. @returns the exit code */
async function run(forceDemo: boolean): Promise<number> {
  const ending = new AbortController();
  try {
    const settings = readDemoSettings(process.env);
    endOnSignals(ending);
    await assertFree([
      ...queryPorts(settings),
      ...projectorPorts(settings),
      ...(settings.needsConsole ? consolePorts(settings) : []),
    ]);
    return await runSession({
      settings,
      env: process.env,
      forceDemo,
      screen: new Screen(process.stdout, process.env),
      ending,
    });
  } catch (error) {
    // A failure during the shutdown is a consequence of the shutdown, not its cause.
    const reason: unknown = ending.signal.aborted ? ending.signal.reason : error;
    if (reason instanceof InterruptedError) return 0;
    console.error(describe(reason));
    return FAILED;
  }
}

function describe(reason: unknown): string {
  const isPlain = [SettingsError, PortsTakenError, EnginesError, ServiceDiedError].some(
    (type) => reason instanceof type,
  );
  if (isPlain && reason instanceof Error) return reason.message;
  return `npm start failed: ${reason instanceof Error ? reason.message : String(reason)}`;
}

exitWithReader(process.stdout, process.stderr);
const command = parseCommand(process.argv.slice(2));
switch (command.do) {
  case 'help':
    console.log(HELP);
    break;
  case 'refuse':
    console.error(`${command.reason}\n\n${HELP}`);
    process.exitCode = WRONG_CALL;
    break;
  case 'run':
    // A client library's timer must not delay the exit.
    process.exit(await run(command.demo));
    break;
  default:
    command satisfies never;
}
