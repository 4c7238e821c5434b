import { once } from 'node:events';
import { endOnSignals } from '@vitrine/runtime/processes';
import { exportLine, runFlagCommand } from './command-line.ts';
import { EnginesError } from './engine-control.ts';
import { startEngines } from './engines.ts';

const HELP = `npm run engines [-- options]

Starts Kafka and Elasticsearch (with Docker, otherwise with Java 21+ and Maven), prints their
connection settings, and runs until Ctrl-C. Ctrl-C stops both engines and deletes their data.

  --json   print the settings as one line of JSON on standard output; progress goes to standard error
  --help   print this help

  VITRINE_ENGINES=docker|java             use only Docker, or only Java
  VITRINE_CACHE=<folder>                  folder for downloads and data
  VITRINE_KAFKA_VERSION, VITRINE_ELASTICSEARCH_VERSION
                                          other versions than the default; docs/operate/versions.md
  KAFKA_BROKERS, ELASTICSEARCH_URL        addresses of engines that are already running
`;

const FAILED = 1;

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

await runFlagCommand({ flag: 'json', help: HELP, run });
