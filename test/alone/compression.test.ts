import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { workload } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { expectFold, modelOf } from '../support/expected-contents.ts';
import { runProjector } from '../support/in-process.ts';
import { type EncodedBatch, encodeBatch, encodeRecords, produceBatch } from '../support/record-batches.ts';
import { peakMemoryOf, startService } from '../support/service-process.ts';

const LIMIT_MB = 450;
/** A batch of this size exceeds both the projector's limit and its heap. */
const BOMB_RECORDS = 10;
const BOMB_RECORD_BYTES = 60_000_000;
const LARGE = 3;
/** The value of `max.message.bytes` that `topics create` sets for the events topic. */
const TOPIC_BYTES = '1114112';
/** gzip would make the record larger than the dead-letter topic allows. */
const REPEATS = 10;
const LARGE_BYTES = 30_000_000;
/** Length of a record batch's header. The compressed records follow the header. */
const HEADER_BYTES = 61;

describe('compressed records', () => {
  for (const codec of ['gzip', 'snappy', 'lz4', 'zstd'])
    it(`are read from ${codec} in the form that Java clients write`, async () => {
      // With this setting, the broker compresses the records itself.
      const deployment = await createDeployment(codec, 1, { 'compression.type': codec });
      const records = workload({ seed: 51, listings: 30, events: 600 });
      await deployment.publish(records);
      const projector = await runProjector(deployment);
      await deployment.caughtUp();
      await expectFold(deployment, records);
      await projector.stop();
      await deployment.close();
    });

  it('become a dead letter even if only a far-sighted producer can compress them well', async () => {
    const deployment = await createDeployment('zstd-poison', 1, { 'max.message.bytes': TOPIC_BYTES });
    const photo = randomBytes(675_000).toString('base64');
    const value = JSON.stringify({ photos: Array(REPEATS).fill(photo) });
    const batch = encodeBatch(encodeRecords([{ key: 'photos', value }]), 1, { zstd: true });
    expect(batch.bytes.length).to.be.below(1_000_000);
    await produceBatch(deployment.env.KAFKA_BROKERS as string, deployment.topic, 0, batch);
    const records = workload({ seed: 55, listings: 5, events: 20 });
    await deployment.publish(records);
    const projector = await runProjector(deployment);
    await deployment.caughtUp();
    const deadLetters = await deployment.deadLetters();
    expect(deadLetters.filter((one) => one.value?.toString() === value)).to.have.length(1);
    await projector.stop();
    await deployment.close();
  });

  describe('that expand beyond the limit', () => {
    let deployment: Deployment;
    before(async () => {
      deployment = await createDeployment('bomb', 1);
    });
    after(() => deployment.close());

    it(`become one dead letter per batch, with memory below ${LIMIT_MB} MB, while other batches are read`, async function () {
      if (process.platform !== 'linux') this.skip();
      const [before, between, after] = [52, 53, 54].map((seed) =>
        workload({ seed, listings: 10, events: 50 }),
      );
      const { topic } = deployment;
      const produce = (batch: EncodedBatch) =>
        produceBatch(deployment.env.KAFKA_BROKERS as string, topic, 0, batch);
      const bomb = encodeBatch(
        encodeRecords(Array(BOMB_RECORDS).fill({ key: 'bomb', value: 'x'.repeat(BOMB_RECORD_BYTES) })),
        BOMB_RECORDS,
      );
      await deployment.publish(before ?? []);
      await produce(bomb);
      await deployment.publish(between ?? []);
      // Each batch is within the limit, but the batches together far exceed the limit.
      for (let i = 0; i < LARGE; i++)
        await produce(encodeBatch(encodeRecords([{ key: 'large', value: `${i}`.repeat(LARGE_BYTES) }]), 1));
      await deployment.publish(after ?? []);

      const projector = startService('projector', deployment.env);
      try {
        await deployment.caughtUp();
        const peak = peakMemoryOf(projector.child.pid);
        process.stderr.write(`# peak ${peak.toFixed(0)} MB\n`);
        expect(peak).to.be.below(LIMIT_MB);
      } finally {
        await projector.end('SIGTERM');
      }
      const good = [...(before ?? []), ...(between ?? []), ...(after ?? [])];
      const model = modelOf(good);
      expect([...(await deployment.items()).keys()].sort()).to.deep.equal([...model.items.keys()].sort());
      const deadLetters = await deployment.deadLetters();
      const reasonOf = (deadLetter: (typeof deadLetters)[number]) =>
        String(deadLetter.headers?.['dead-letter-reason']);
      expect(
        deadLetters.filter(
          (deadLetter) => reasonOf(deadLetter) === 'too-large' && deadLetter.value?.length === LARGE_BYTES,
        ),
      ).to.have.length(LARGE);
      expect(deadLetters).to.have.length(model.poison.length + LARGE + 1);
      const whole = deadLetters.find((deadLetter) => reasonOf(deadLetter) === 'batch-too-large');
      const bytes = whole?.value as Buffer;
      // The broker changes only the base offset and the leader's epoch. The checksum covers neither of these
      // fields.
      const CHECKED_FROM = 17;
      expect(
        bytes.subarray(CHECKED_FROM).equals(bomb.bytes.subarray(CHECKED_FROM)),
        'the batch, byte for byte',
      ).to.equal(true);
      expect(String(whole?.headers?.['dead-letter-detail'])).to.match(
        new RegExp(`a batch of ${BOMB_RECORDS} records .*gzip`),
      );
      expect(gunzipSync(bytes.subarray(HEADER_BYTES)).length).to.be.above(BOMB_RECORDS * BOMB_RECORD_BYTES);
    });
  });
});
