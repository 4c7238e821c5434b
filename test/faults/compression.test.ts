import { expect } from 'chai';
import kafkajs from 'kafkajs';
import { expectFold } from '../support/assertions.ts';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { inProcess } from '../support/in-process.ts';
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
      const poison = [...bomb, ...Array.from({ length: 4 }, () => ({ key: 'large', value: 'x'.repeat(2_000_000) }))];
      await expectFold(deployment, [...(before ?? []), ...(between ?? []), ...(after ?? []), ...poison]);
      const letters = await deployment.deadLetters();
      const reasons = letters.map(({ headers }) => String(headers?.['dead-letter-reason']));
      expect(reasons.filter((reason) => reason === 'batch-too-large')).to.have.length(2);
    });
  });
});
