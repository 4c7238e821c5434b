import { setTimeout as sleep } from 'node:timers/promises';
import type { KafkaAdmin } from '@vitrine/kafka';
import { RULES } from '@vitrine/listing';
import { startGenerationConsumer, versionsWith } from '@vitrine/projection/generations';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { openCommandContext } from '../support/in-process.ts';
import { eventually } from '../support/service-process.ts';

const AGE_SECONDS = 7_200;

describe('the lag measurement', () => {
  let deployment: Deployment;
  before(async () => {
    deployment = await createDeployment('lag-look', 2);
  });
  after(() => deployment.close());

  it('reads the lag in seconds from the oldest unfinished record, and never overlaps another measurement', async () => {
    const timestamp = String(Date.now() - AGE_SECONDS * 1_000);
    const producer = deployment.kafka.producer();
    await producer.connect();
    await producer.send({
      topic: deployment.topic,
      messages: [{ key: 'a', value: 'x', partition: 1, timestamp }],
    });
    await producer.disconnect();

    const operation = await openCommandContext(deployment);
    const looks = { current: 0, most: 0, all: 0, byTimestamp: 0 };
    const slowAdmin: KafkaAdmin = {
      ...operation.admin,
      fetchOffsets: async (options: Parameters<KafkaAdmin['fetchOffsets']>[0]) => {
        looks.all++;
        looks.most = Math.max(looks.most, ++looks.current);
        await sleep(200);
        looks.current--;
        return operation.admin.fetchOffsets(options);
      },
      fetchTopicOffsetsByTimestamp: async (
        ...args: Parameters<KafkaAdmin['fetchTopicOffsetsByTimestamp']>
      ) => {
        looks.byTimestamp++;
        return operation.admin.fetchTopicOffsetsByTimestamp(...args);
      },
    };
    // This function never admits the chunk, so the record stays unfinished.
    const admit = (_: number, signal: AbortSignal) =>
      new Promise<() => void>((resolve) =>
        signal.addEventListener('abort', () => resolve(() => undefined), { once: true }),
      );
    const feed = await startGenerationConsumer(
      { ...operation, admin: slowAdmin, observeEvery: 20 },
      { number: 1, versions: versionsWith(RULES) },
      { admit },
    );
    try {
      const seconds = async () => {
        const { values } = await operation.metrics.lagSeconds.get();
        return values.find(({ labels }) => labels.partition === '1')?.value ?? 0;
      };
      const shown = await eventually("the record's age", async () =>
        (await seconds()) > 60 ? seconds() : undefined,
      );
      expect(shown).to.be.within(AGE_SECONDS, (Date.now() - Number(timestamp)) / 1_000 + 1);
      // The consumer itself reads the offsets once, before its first batch.
      Object.assign(looks, { most: 0, all: 0 });
      await eventually('several looks', async () => looks.all >= 4);
      expect(looks).to.include({ most: 1, byTimestamp: 0 });
    } finally {
      await feed.stop();
      await operation.close();
    }
  });
});
