import { expect } from 'chai';
import { createDeployment, type Deployment, type Published } from '../support/deployment.ts';
import { type EncodedBatch, encodeBatch, encodeRecords, produceBatch } from '../support/record-batches.ts';
import { eventually, peakMemoryOf, startService } from '../support/service-process.ts';

const SKIPPED_BATCHES = 6;
const SKIPPED_IN_BATCH = 100_000;
const SKIPPED_BYTES = 110;
const TINY = 150_000;
const LIMIT_MB = 500;

describe('a partition with hundreds of thousands of tiny records', () => {
  let deployment: Deployment;
  before(async () => {
    deployment = await createDeployment('tiny-records', 1);
  });
  after(() => deployment.close());

  it(`is read completely by a projector that stays below ${LIMIT_MB} MB and never restarts`, async function () {
    if (process.platform !== 'linux') this.skip();
    await deployment.publish([valid('before')]);
    const publish = (batch: EncodedBatch) =>
      produceBatch(deployment.env.KAFKA_BROKERS as string, deployment.topic, 0, batch);
    const skipped = encodeRecords(
      Array.from({ length: SKIPPED_IN_BATCH }, (_, n) => ({ key: 'a', value: unknownType(n) })),
    );
    for (let i = 0; i < SKIPPED_BATCHES; i++) await publish(encodeBatch(skipped, SKIPPED_IN_BATCH));
    await deployment.publish([valid('between')]);
    await publish(
      encodeBatch(encodeRecords(Array.from({ length: TINY }, () => ({ key: null, value: '{}' }))), TINY),
    );
    await deployment.publish([valid('after')]);

    const started = Date.now();
    const projector = startService('projector', { ...deployment.env, LOG_LEVEL: 'error' });
    try {
      await Promise.race([deployment.caughtUp(240_000), ended(projector)]);
      const peak = peakMemoryOf(projector.child.pid);
      process.stderr.write(
        `# ${((Date.now() - started) / 1_000).toFixed(0)} s, peak ${peak.toFixed(0)} MB\n`,
      );
      expect([...(await deployment.items()).keys()].sort()).to.deep.equal(['after', 'before', 'between']);
      expect(peak).to.be.below(LIMIT_MB);
      const deadLetters = await deployment.deadLetterCount();
      expect(deadLetters, 'one dead letter per tiny record').to.equal(TINY);
      expect(projector.child.exitCode, projector.log()).to.equal(null);
    } finally {
      await projector.end('SIGKILL');
      await eventually(
        'gone',
        async () => projector.child.signalCode !== null || projector.child.exitCode !== null,
      );
    }
  });
});

const head = { specversion: '1.0', source: '/t', time: '2026-01-01T00:00:00Z' };

function valid(id: string): Published {
  const listing = {
    title: 'Casa',
    price: 1,
    location: { city: 'Curitiba' },
    url: 'https://vitrine.example/',
  };
  return {
    key: id,
    value: JSON.stringify({
      ...head,
      id: 'e',
      type: 'marketplace.listing.snapshot',
      subject: id,
      data: { version: 1, listing },
    }),
  };
}

/** An event of a type that the projection skips. */
const unknownType = (n: number): string =>
  JSON.stringify({
    specversion: '1.0',
    id: `${n}`,
    source: '/',
    type: 'x',
    subject: 'a',
    time: '2026-01-01T00:00:00Z',
    data: {},
  }).padEnd(SKIPPED_BYTES);

async function ended({ exited, log }: ReturnType<typeof startService>): Promise<never> {
  const code = await exited;
  throw new Error(`the projector ended with ${code}: ${log()}`);
}
