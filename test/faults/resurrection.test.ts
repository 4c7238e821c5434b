import { setTimeout as sleep } from 'node:timers/promises';
import { generationNames } from '@vitrine/feed-index';
import { expect } from 'chai';
import { expectFold } from '../support/assertions.ts';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { engines } from '../support/engines.ts';
import { inProcess, type RunningProjector } from '../support/in-process.ts';

describe('a removed listing', () => {
  let deployment: Deployment;
  let projector: RunningProjector;

  before(async () => {
    deployment = await createDeployment('removed');
    projector = await inProcess(deployment);
    // As Elasticsearch comes: deletions are forgotten after a minute.
    await deployment.client.indices.putSettings({ index: generationNames(deployment.prefix, 1).items, settings: { 'index.gc_deletes': '60s' } });
  });
  after(async () => {
    await projector.stop();
    await deployment.close();
  });

  it('does not come back by its old snapshot, 61 s after the removal, a refresh and a restart of Elasticsearch', async () => {
    const { elasticsearch } = await engines();
    const event = (version: number, type: string, data: object) =>
      JSON.stringify({
        specversion: '1.0',
        id: `e${version}`,
        source: '/test',
        type,
        subject: 'a',
        time: '2026-01-01T00:00:00Z',
        data: { version, ...data },
      });
    const snapshot = {
      key: 'a',
      value: event(3, 'marketplace.listing.snapshot', {
        listing: { title: 'Casa', price: 1, location: { city: 'Curitiba' }, url: 'https://vitrine.example/' },
      }),
    };
    const removed = { key: 'a', value: event(4, 'marketplace.listing.removed', {}) };
    await deployment.publish([snapshot, removed]);
    await deployment.caughtUp();
    await sleep(61_000);
    await projector.stop();
    await elasticsearch?.stop();
    await elasticsearch?.start();
    // One that remembers nothing itself.
    projector = await inProcess(deployment);
    await deployment.client.indices.refresh({ index: `${deployment.prefix}-*` });
    await deployment.publish([snapshot]);
    await deployment.caughtUp();
    await expectFold(deployment, [snapshot, removed, snapshot]);
    expect((await deployment.items()).size).to.equal(0);
  });
});
