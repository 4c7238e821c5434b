import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import kafkajs from 'kafkajs';
import { expectFold } from '../support/assertions.ts';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { inProcess } from '../support/in-process.ts';
import { modelOf } from '../support/model.ts';
import { workload } from '../support/workload.ts';

describe('compressed records', () => {
  for (const codec of ['gzip', 'snappy', 'lz4', 'zstd'])
    it(`are read: ${codec}, as the Java clients write it`, async () => {
      // The broker itself compresses what is written to such a topic.
      const deployment = await createDeployment(codec, 1, { 'compression.type': codec });
      const records = workload({ seed: 51, listings: 30, events: 600 });
      await deployment.publish(records);
      const projector = await inProcess(deployment);
      await deployment.caughtUp();
      await expectFold(deployment, records);
      await projector.stop();
      await deployment.close();
    });

  describe('that would burst', () => {
    let deployment: Deployment;
    before(async () => {
      deployment = await createDeployment('bomb', 1);
    });
    after(() => deployment.close());

    it('become dead letters with their compressed bytes; memory stays bounded and the neighbours are read', async () => {
      const producer = deployment.kafka.producer();
      await producer.connect();
      const bomb = [
        { key: 'bomb', value: 'x'.repeat(50_000_000) },
        { key: 'bomb', value: 'x'.repeat(50_000_000) },
      ];
      const [before, between, after] = [52, 53, 54].map((seed) => workload({ seed, listings: 10, events: 50 }));
      const { topic } = deployment;
      await deployment.publish(before ?? []);
      await producer.send({ topic, compression: kafkajs.CompressionTypes.GZIP, messages: bomb });
      await deployment.publish(between ?? []);
      // Each within the bound, together far above it.
      for (let i = 0; i < 4; i++)
        await producer.send({ topic, compression: kafkajs.CompressionTypes.GZIP, messages: [{ key: 'large', value: `${i}`.repeat(40_000_000) }] });
      await deployment.publish(after ?? []);
      await producer.disconnect();

      const projector = await inProcess(deployment);
      await deployment.caughtUp();
      await projector.stop();
      const good = [...(before ?? []), ...(between ?? []), ...(after ?? [])];
      const model = modelOf(good);
      expect([...(await deployment.items()).keys()].sort()).to.deep.equal([...model.items.keys()].sort());
      const letters = await deployment.deadLetters();
      const reasonOf = (letter: (typeof letters)[number]) => String(letter.headers?.['dead-letter-reason']);
      expect(letters.filter((letter) => reasonOf(letter) === 'too-large' && letter.value?.length === 40_000_000)).to.have.length(4);
      expect(letters).to.have.length(model.poison.length + 4 + bomb.length);
      const stuffed = letters.filter((letter) => reasonOf(letter) === 'batch-too-large');
      expect(stuffed).to.have.length(bomb.length);
      const bytes = stuffed.find(({ value }) => value !== null)?.value as Buffer;
      expect(gunzipSync(bytes).length, 'what the compressed bytes in the first letter hold').to.be.above(100_000_000);
    });
  });
});
