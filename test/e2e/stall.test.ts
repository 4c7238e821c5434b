import { setTimeout as sleep } from 'node:timers/promises';
import { workload } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { type FaultProxy, startFaultProxy, type Verdict } from '../support/fault-proxy.ts';
import { type RunningProjector, runProjector } from '../support/in-process.ts';
import { eventually, startService } from '../support/service-process.ts';

describe('detecting a consumer that makes no progress despite lag', () => {
  let deployment: Deployment;
  let proxy: FaultProxy;
  let projector: RunningProjector;
  /** The projector reads these limits at each observation. */
  const limits = { unreadyAfter: 0, endAfter: 0 };
  /** A busy machine may work on one chunk for longer than the short limits. */
  const allowWork = () => Object.assign(limits, { unreadyAfter: 60_000, endAfter: 180_000 });
  const expectStalls = () => Object.assign(limits, { unreadyAfter: 2_000, endAfter: 6_000 });

  beforeEach(async () => {
    allowWork();
    deployment = await createDeployment('stall', 3);
    proxy = await startFaultProxy(deployment.env.ELASTICSEARCH_URL as string);
    projector = await runProjector(
      deployment,
      { ELASTICSEARCH_URL: proxy.url },
      { stallLimits: limits, observeEvery: 250 },
    );
    await deployment.publish(workload({ seed: 61, listings: 10, events: 50 }));
    await deployment.caughtUp();
    expectStalls();
  });
  afterEach(async () => {
    await proxy.close();
    await projector.stop();
    await deployment.close();
  });

  it('makes the projector unready, and ends it in bounded time', async () => {
    // Elasticsearch is not responding, and no component has reported a pause yet.
    proxy.hook = async (step): Promise<Verdict> => {
      if (step !== 'other') await sleep(20_000, undefined, { ref: false });
      return 'pass';
    };
    await deployment.publish(workload({ seed: 62, listings: 10, events: 50 }));
    await eventually(
      'unready',
      async () => (await projector.reasons()).some((reason) => /makes no progress/.test(reason)),
      120_000,
    );
    const error = await projector.failed;
    expect(error.name).to.equal('StalledError');
    expect(error.message).to.match(
      /has \d+ records of lag in partition [\d, ]+, and the consumer makes no progress/,
    );
  });

  it('ignores a consumer that is idle, or paused because Elasticsearch is down', async () => {
    let ended = false;
    void projector.failed.then(() => {
      ended = true;
    });
    await sleep(8_000);
    expect(ended, 'idle').to.equal(false);
    await proxy.leave();
    await deployment.publish(workload({ seed: 63, listings: 10, events: 50 }));
    await sleep(10_000);
    expect(ended, 'paused').to.equal(false);
    allowWork();
    await proxy.comeBack();
    await deployment.caughtUp();
    expect(ended, 'resumed').to.equal(false);
  });

  it('does not delay SIGTERM: the projector leaves its group and exits 0, even if Elasticsearch is frozen', async () => {
    await projector.stop();
    // A busy machine may delay an exit. A projector that waits for Elasticsearch is late every time.
    await eventually('an exit within 8 s', async () => {
      const child = startService('projector', { ...deployment.env, ELASTICSEARCH_URL: proxy.url });
      await deployment.publish(workload({ seed: 64, listings: 10, events: 50 }));
      await deployment.caughtUp();
      const frozen = Promise.withResolvers<void>();
      proxy.hook = (_step, _moment, { path }) => {
        if (!/_mget|_bulk/.test(path)) return 'pass';
        frozen.resolve();
        proxy.become('silent');
        return new Promise<Verdict>(() => undefined);
      };
      try {
        await deployment.publish(workload({ seed: 65, listings: 10, events: 50 }));
        await frozen.promise;
        const told = Date.now();
        expect(await child.end('SIGTERM'), child.log()).to.equal(0);
        const tookMs = Date.now() - told;
        const group = await deployment.admin.describeGroup(deployment.groupId);
        expect(group.members).to.have.length(0);
        return tookMs < 8_000;
      } finally {
        proxy.hook = () => 'pass';
        proxy.become('open');
      }
    });
  });
});
