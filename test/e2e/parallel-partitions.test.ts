import { setTimeout as sleep } from 'node:timers/promises';
import { workload } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createDeployment } from '../support/deployment.ts';
import { expectFold } from '../support/expected-contents.ts';
import { startFaultProxy, type Verdict } from '../support/fault-proxy.ts';
import { runProjector } from '../support/in-process.ts';

/** A write waits at most this long for another one. */
const LONGEST_WAIT_MS = 10_000;

describe('listings of different partitions', () => {
  it('are written concurrently, with one write for all events of a listing in a batch', async () => {
    const deployment = await createDeployment('parallel', 4);
    const proxy = await startFaultProxy(deployment.env.ELASTICSEARCH_URL as string);
    const together = Promise.withResolvers<void>();
    let underWay = 0;
    let most = 0;
    let writes = 0;
    proxy.hook = async (step, moment): Promise<Verdict> => {
      if (step !== 'write states') return 'pass';
      underWay += moment === 'before' ? 1 : -1;
      writes += moment === 'before' ? 1 : 0;
      most = Math.max(most, underWay);
      if (most > 1) together.resolve();
      // The wait is shorter than the projector's limit for a request.
      if (moment === 'before')
        await Promise.race([together.promise, sleep(LONGEST_WAIT_MS, undefined, { ref: false })]);
      return 'pass';
    };
    // The workload has forty events per listing, and is small enough for one batch per partition.
    const records = workload({ seed: 81, listings: 20, events: 800 });
    await deployment.publish(records);
    const projector = await runProjector(deployment, { ELASTICSEARCH_URL: proxy.url });
    await deployment.caughtUp();
    await projector.stop();
    await expectFold(deployment, records);
    await proxy.close();
    await deployment.close();
    expect(most, 'concurrent state writes').to.be.above(1);
    expect(writes, 'state writes for about 800 events').to.be.at.most(12);
  });
});
