import { type Engines, startEngines } from '@vitrine/engines';
import { expect } from 'chai';
import { createDeployment } from '../support/deployment.ts';
import { cli, runProjector } from '../support/in-process.ts';
import { expectOrdinaryListings, largeListings, REQUEST_LIMIT } from '../support/large-listings.ts';

describe('kafka-connect-elasticsearch#512: an Elasticsearch with a small http.max_content_length', () => {
  let small: Engines;
  before(async () => {
    small = await startEngines({
      env: { ...process.env, KAFKA_BROKERS: '', ELASTICSEARCH_URL: '' },
      elasticsearchHeap: '512m',
      elasticsearchSettings: { 'http.max_content_length': `${REQUEST_LIMIT}b` },
    });
  });
  after(() => small.stop());

  it('the projector and a rebuild send smaller requests', async () => {
    const deployment = await createDeployment('content-length', 4, {}, small.settings);
    await deployment.publish(largeListings());
    const projector = await runProjector(deployment);
    await deployment.caughtUp();
    await expectOrdinaryListings(deployment, 1);
    expect(await projector.metric('projector_elasticsearch_retries_total')).to.equal(0);
    const replayed = await cli(deployment, ['replay']);
    expect(replayed.code, replayed.output).to.equal(0);
    await deployment.client.indices.refresh({ index: `${deployment.prefix}-items-2` });
    await expectOrdinaryListings(deployment, 2);
    await projector.stop();
    await deployment.close();
  });
});
