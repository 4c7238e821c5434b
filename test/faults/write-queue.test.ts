import { type Engines, startEngines } from '@vitrine/engines';
import { workload } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createDeployment } from '../support/deployment.ts';
import { expectFold } from '../support/expected-contents.ts';
import { runProjector } from '../support/in-process.ts';
import { eventually } from '../support/service-process.ts';

describe('an Elasticsearch with a tiny write queue', () => {
  let small: Engines;
  before(async () => {
    small = await startEngines({
      env: { ...process.env, KAFKA_BROKERS: '', ELASTICSEARCH_URL: '' },
      elasticsearchHeap: '512m',
      elasticsearchSettings: { 'thread_pool.write.size': '1', 'thread_pool.write.queue_size': '1' },
    });
  });
  after(() => small.stop());

  it('responds 429, so that consumption pauses but loses nothing', async () => {
    const deployment = await createDeployment('queue', 4, {}, small.settings);
    const records = workload({ seed: 71, listings: 500, events: 8_000 });
    const projector = await runProjector(deployment);
    // Many other writers fill the queue until Elasticsearch has refused a request from the projector.
    const index = `${deployment.prefix}-crowd`;
    await deployment.client.indices.create({ index, settings: { number_of_shards: 1 } });
    let crowding = true;
    const body = Array.from({ length: 500 }, (_, i) => [{ index: {} }, { text: 'x'.repeat(200), i }]).flat();
    const crowd = Array.from({ length: 6 }, async () => {
      while (crowding)
        await deployment.client.bulk({ index, operations: body }, { maxRetries: 0 }).catch(() => undefined);
    });
    await deployment.publish(records);
    const retries = () => projector.metric('projector_elasticsearch_retries_total');
    await eventually('a refused chunk', async () => (await retries()) > 0).finally(() => {
      crowding = false;
    });
    await Promise.all(crowd);
    await deployment.caughtUp();
    await deployment.client.indices.delete({ index });
    expect(await retries(), 'retries of refused chunks').to.be.above(0);
    await expectFold(deployment, records);
    await projector.stop();
    await deployment.close();
  });
});
