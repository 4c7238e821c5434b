import { type Engines, startEngines } from '@vitrine/engines';
import { INTERRUPTED_EXIT_CODE, onParentGone, ProcessSupervisor } from '@vitrine/runtime/processes';

let started: Promise<Engines> | undefined;

/**
 * The Kafka and Elasticsearch of this test run. The first call starts them, and the end of the run stops
 * them.
 */
export function engines(): Promise<Engines> {
  started ??= startEngines({ onProgress: (message) => process.stderr.write(`# ${message}\n`) });
  return started;
}

export const mochaHooks = {
  async afterAll(): Promise<void> {
    await (await started)?.stop();
  },
};

// `npm test` sends SIGTERM when it is interrupted, and waits until this process has ended its services and
// engines. Mocha itself handles SIGINT.
const end = () => void ProcessSupervisor.endAll().finally(() => process.exit(INTERRUPTED_EXIT_CODE));
for (const name of ['SIGTERM', 'SIGHUP'] as const) process.once(name, end);
onParentGone(end);
