import { setTimeout as sleep } from 'node:timers/promises';
import { generationNames } from '@vitrine/feed-index';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { expectFold } from '../support/expected-contents.ts';
import { type RunningProjector, runProjector } from '../support/in-process.ts';

/** By default, Elasticsearch forgets deletions after 60 s. Only the long form of the test waits that long. */
const FORGETS_AFTER_S = process.env['VITRINE_FULL'] ? 60 : 10;

describe('a removed listing', () => {
  let deployment: Deployment;
  let projector: RunningProjector;
  const items = () => generationNames(deployment.prefix, 1).items;
  /** Whether Elasticsearch accepts this version of a document that was deleted with version 5. */
  const takes = (version: number) =>
    deployment.client
      .index({
        index: items(),
        id: 'probe',
        version,
        version_type: 'external',
        document: { id: 'probe', published_at: 0 },
      })
      .then(
        () => true,
        ({ statusCode }: { statusCode?: number }) =>
          statusCode === 409 ? false : Promise.reject(new Error(`Elasticsearch responded ${statusCode}`)),
      );

  before(async () => {
    deployment = await createDeployment('removed');
    projector = await runProjector(deployment);
    await deployment.client.indices.putSettings({
      index: items(),
      settings: { 'index.gc_deletes': `${FORGETS_AFTER_S}s` },
    });
  });
  after(async () => {
    await projector.stop();
    await deployment.close();
  });

  it('is not restored by its old snapshot after Elasticsearch has forgotten the deletion', async () => {
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
    expect(await takes(4)).to.equal(true);
    await deployment.client.delete({ index: items(), id: 'probe', version: 5, version_type: 'external' });
    expect(await takes(3), 'an old version is accepted before the deletion is forgotten').to.equal(false);
    await sleep((FORGETS_AFTER_S + 1) * 1_000);
    await projector.stop();
    // An index that was closed and reopened remembers no deletions, as after a restart of Elasticsearch.
    await deployment.client.indices.close({ index: items() });
    await deployment.client.indices.open({ index: items() });
    // The new projector has an empty cache.
    projector = await runProjector(deployment);
    await deployment.client.indices.refresh({ index: `${deployment.prefix}-*` });
    expect(await takes(3), 'an old version is accepted after the deletion is forgotten').to.equal(true);
    await deployment.client.delete({ index: items(), id: 'probe' });
    await deployment.publish([snapshot]);
    await deployment.caughtUp();
    await expectFold(deployment, [snapshot, removed, snapshot]);
    expect((await deployment.items()).size).to.equal(0);
  });
});
