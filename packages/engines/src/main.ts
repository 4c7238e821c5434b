import { once } from 'node:events';
import { endOnSignals, exitWithReader } from '@vitrine/runtime/processes';
import { exportLine, HELP, parseCommand } from './command-line.ts';
import { EnginesError } from './engine-control.ts';
import { startEngines } from './engines.ts';

const FAILED = 1;
const WRONG_CALL = 2;

async function run(json: boolean): Promise<void> {
  const ending = new AbortController();
  endOnSignals(ending);
  const interrupted = once(ending.signal, 'abort');
  const tell = (message: string): void => console.error(message);
  try {
    const engines = await startEngines({ onProgress: tell, signal: ending.signal });
    const { settings } = engines;
    if (json) console.log(JSON.stringify(settings));
    else for (const [name, value] of Object.entries(settings)) console.log(exportLine(name, value));
    tell('Ctrl-C stops the engines and deletes their data.');
    const awake = setInterval(() => {}, 2 ** 30); // keeps the process alive (signal listeners do not)
    await interrupted;
    clearInterval(awake);
    tell('Stopping');
    await engines.stop();
  } catch (error) {
    if (ending.signal.aborted) return;
    process.exitCode = FAILED;
    tell(
      error instanceof EnginesError
        ? error.message
        : `The engines failed: ${error instanceof Error ? error.stack : String(error)}`,
    );
  }
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
    await run(command.json);
    break;
  default:
    command satisfies never;
}
