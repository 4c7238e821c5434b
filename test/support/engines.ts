import { type Engines, startEngines } from '@vitrine/engines';

let started: Promise<Engines> | undefined;

/** The real Kafka and Elasticsearch of this test run: started at the first call, stopped at its end. */
export function engines(): Promise<Engines> {
  started ??= startEngines({ onProgress: (message) => process.stderr.write(`# ${message}\n`) });
  return started;
}

export const mochaHooks = {
  async afterAll(): Promise<void> {
    await (await started)?.stop();
  },
};
