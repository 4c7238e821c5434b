import { setTimeout as pass } from 'node:timers/promises';
import { itemsAlias } from '@vitrine/feed-index';
import { ReaderWatch } from '@vitrine/operator';
import { createLog } from '@vitrine/runtime/log';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { runProjector } from '../support/in-process.ts';
import { eventually } from '../support/service-process.ts';

describe('the watch that tells a rebuild whether clients search the live items', () => {
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

  it('reports no searches if there are no live items', async () => {
    watching();
    expect(watch.reading, 'presumed').to.equal(true);
    await eventually('there are no readers', async () => !watch.reading);
  });

  it('reports when clients start and stop searching', async () => {
    const projector = await runProjector(deployment);
    await projector.stop();
    watching();
    await eventually('there are no readers', async () => !watch.reading);
    const read = () => deployment.client.search({ index: itemsAlias(deployment.prefix), size: 0 });
    // On a busy machine, one client alone may search too rarely to count as a reader.
    const end = performance.now() + 60_000;
    while (!watch.reading && performance.now() < end) {
      await Promise.all(Array.from({ length: 10 }, read));
      await pass(50);
    }
    expect(watch.reading, 'while clients search').to.equal(true);
    await eventually('no client searches any more', async () => !watch.reading);
  });
});
