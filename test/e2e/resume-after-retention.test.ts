import { MarketEvents } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { type FaultProxy, startFaultProxy, type Verdict } from '../support/fault-proxy.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';

describe('a replay that was interrupted before it read a partition', () => {
  let deployment: Deployment;
  let proxy: FaultProxy;
  let projector: RunningProjector;

  before(async () => {
    deployment = await createDeployment('resume-retention', 2);
    proxy = await startFaultProxy(deployment.env.ELASTICSEARCH_URL as string);
    projector = await runProjector(deployment);
    const market = new MarketEvents();
    for (let round = 0; round < 3; round++)
      await deployment.publish(Array.from({ length: 40 }, (_, i) => market.snapshot(i)));
    await deployment.caughtUp();
  });
  after(async () => {
    await projector.stop();
    await proxy.close();
    await deployment.close();
  });

  /** Starts a replay and interrupts it before its first states are written. */
  const interruptedReplay = async (...options: string[]) => {
    const interrupt = new AbortController();
    proxy.hook = (step): Verdict => {
      if (step !== 'write states') return 'pass';
      interrupt.abort();
      return 'cut';
    };
    const through = { ...deployment, env: { ...deployment.env, ELASTICSEARCH_URL: proxy.url } };
    const replay = cli(through, ['replay', ...options], { signal: interrupt.signal });
    expect(await replay).to.include({ code: 130 });
  };

  it('cannot be resumed after the topic lost unread records, and can only be cancelled and started anew', async () => {
    await interruptedReplay();
    await deployment.admin.deleteTopicRecords({
      topic: deployment.topic,
      partitions: [{ partition: 0, offset: '10' }],
    });

    const resumed = await cli(deployment, ['replay', 'resume']);
    expect(resumed.code, resumed.output).to.equal(3);
    expect(resumed.output).to.match(
      /Kafka deleted the beginning of .* \(partition 0 begins at offset 10\)\. Run replay cancel \d+ first\. /,
    );

    expect((await cli(deployment, ['replay', 'cancel'])).code).to.equal(0);
    const again = await cli(deployment, ['replay', '--incomplete-log']);
    expect(again.code, again.output).to.equal(0);
  });

  it('can be resumed if the operator has accepted an incomplete log', async () => {
    await interruptedReplay('--incomplete-log');
    const resumed = await cli(deployment, ['replay', 'resume']);
    expect(resumed.code, resumed.output).to.equal(0);
  });
});
