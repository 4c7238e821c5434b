import { type Engines, startEngines } from '@vitrine/engines';

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
