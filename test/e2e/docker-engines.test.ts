import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { type Engines, EnginesError, startEngines } from '@vitrine/engines';
import { expect } from 'chai';

/**
 * The parts of Docker mode that no simulated Docker engine can show. `engines.test.ts` covers the rest if
 * VITRINE_ENGINES is "docker". Only Kafka starts, because Elasticsearch's address is set.
 */
const env: NodeJS.ProcessEnv = {
  ...process.env,
  VITRINE_ENGINES: 'docker',
  KAFKA_BROKERS: '',
  ELASTICSEARCH_URL: 'http://127.0.0.1:9',
};

/** @param timeout milliseconds without a connection after which the answer is no; 0 for no limit */
const accepts = (host: string, port: number, timeout = 0): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout });
    const settle = (accepted: boolean) => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once('connect', () => settle(true));
    for (const event of ['error', 'timeout'] as const) socket.once(event, () => settle(false));
  });

describe('engines in Docker', () => {
  let engines: Engines[] = [];

  before('start two brokers at the same time', async function () {
    if (process.env.VITRINE_ENGINES === 'java') this.skip();
    try {
      engines = await Promise.all([startEngines({ env }), startEngines({ env })]);
    } catch (error) {
      if (!(error instanceof EnginesError) || !error.message.startsWith('VITRINE_ENGINES is "docker", but'))
        throw error;
      process.stderr.write(`# skipped: ${error.message}\n`); // no Docker engine, or no images
      this.skip();
    }
  });
  after(() => Promise.all(engines.map((each) => each.stop())));

  it('listen only on the loopback address', async function () {
    const [host, port] = (engines[0]?.settings.KAFKA_BROKERS ?? '').split(':');
    expect(await accepts('127.0.0.1', Number(port))).to.equal(true);
    const outside = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4');
    if (host !== '127.0.0.1' || outside.length === 0) this.skip();
    for (const { address } of outside)
      expect(await accepts(address, Number(port), 3_000), address).to.equal(false);
  });

  it('show why a broker ended, with the end of its log', async () => {
    const started = startEngines({ env, kafkaSettings: { 'node.id': 'not-a-number' } });
    const failure = await started.catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(EnginesError);
    expect((failure as Error).message)
      .to.match(/^The container of Kafka \(apache\/kafka:\S+\) did not start: .*exit code \d+/)
      .and.to.include('The end of its log:')
      .and.to.include('not-a-number');
  });
});
