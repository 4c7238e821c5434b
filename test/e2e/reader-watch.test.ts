import { setTimeout as pass } from 'node:timers/promises';
import { itemsAlias } from '@vitrine/feed-index';
import { ReaderWatch } from '@vitrine/operator';
import { createLog } from '@vitrine/runtime';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { inProcess } from '../support/projector.ts';
import { eventually } from '../support/service-process.ts';

describe('readers of the live items, as a rebuild sees them', () => {
  let deployment: Deployment;
  let watch: ReaderWatch;

  before(async () => {
    deployment = await createDeployment('reader-watch', 1);
  });
  afterEach(() => watch.stop());
  after(() => deployment.close());
  const watching = () => {
    watch = new ReaderWatch(deployment.client, itemsAlias(deployment.prefix), createLog('test', 'silent'));
    return watch;
  };

  it('do not exist without live items', async () => {
    watching();
    expect(watch.reading, 'presumed').to.equal(true);
    await eventually('nobody reads', async () => !watch.reading);
  });

  it('are noticed when they start and when they stop', async () => {
    const projector = await inProcess(deployment);
    await projector.stop();
    watching();
    await eventually('nobody reads', async () => !watch.reading);
    const read = () => deployment.client.search({ index: itemsAlias(deployment.prefix), size: 0 });
    const end = performance.now() + 10_000;
    while (!watch.reading && performance.now() < end) {
      await read();
      await pass(50);
    }
    expect(watch.reading, 'while clients search').to.equal(true);
    await eventually('no client searches any more', async () => !watch.reading);
  });
});
