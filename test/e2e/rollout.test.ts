import { MarketEvents } from '@vitrine/fixtures';
import { RULES, type Rules } from '@vitrine/listing';
import { expect } from 'chai';
import { createDeployment, type Deployment, registryOf } from '../support/deployment.ts';
import { startFaultProxy, type Verdict } from '../support/fault-proxy.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';
import { eventually, metricOf } from '../support/service-process.ts';

const LISTINGS = 60;
const EARLIER: Rules = { ...RULES, version: RULES.version - 1 };

describe('readiness during a rollout of new rules in the documented order', () => {
  const market = new MarketEvents();
  let deployment: Deployment;
  let earlier: RunningProjector;
  let upgraded: RunningProjector;
  const run = async (...args: string[]) => {
    const ran = await cli(deployment, args);
    expect(ran.code, ran.output).to.equal(0);
  };
  const isReady = ({ admin }: RunningProjector) => metricOf(admin, 'service_ready', 'service="projector"');
  const awaitsReplay = ({ metric }: RunningProjector) => metric('projector_awaits_replay');
  const expectReady = async (projector: RunningProjector) => {
    await eventually('ready', async () => (await projector.reasons()).length === 0);
    expect(await isReady(projector)).to.equal(1);
    expect(await awaitsReplay(projector)).to.equal(0);
  };

  before(async () => {
    deployment = await createDeployment('rollout');
    await deployment.publish(Array.from({ length: LISTINGS }, (_, i) => market.snapshot(i)));
    earlier = await runProjector(deployment, {}, { rules: EARLIER, observeEvery: 200 });
    await deployment.caughtUp();
    upgraded = await runProjector(deployment, {}, { observeEvery: 200 });
  });
  after(async () => {
    await Promise.all([earlier.stop(), upgraded.stop()]);
    await deployment.close();
  });

  it('the new projector is unready before the replay, so that an upgrade in place stops, and awaits the replay', async () => {
    await eventually('the new projector awaits the replay', async () => (await awaitsReplay(upgraded)) === 1);
    expect((await upgraded.reasons()).join()).to.match(
      /^generation 1 was built with .*Keep the other projector running, and replay with this version$/,
    );
    expect(await isReady(upgraded)).to.equal(0);
    await expectReady(earlier);
  });

  it('both projectors are ready while the generation of the new rules is under construction', async () => {
    // No write of the replay arrives until the projectors have been observed.
    const released = Promise.withResolvers<void>();
    const proxy = await startFaultProxy(deployment.env.ELASTICSEARCH_URL as string);
    proxy.hook = async (step, moment): Promise<Verdict> => {
      if (moment === 'before' && step.startsWith('write')) await released.promise;
      return 'pass';
    };
    const env = { ...deployment.env, ELASTICSEARCH_URL: proxy.url };
    const replaying = cli({ ...deployment, env }, ['replay', '--from', 'states']);
    try {
      await eventually(
        'generation 2 is under construction',
        async () => (await registryOf(deployment)).generations.length === 2,
      );
      await expectReady(upgraded);
      await expectReady(earlier);
      expect((await registryOf(deployment)).generations[1]?.phase).not.to.equal('ready');
    } finally {
      released.resolve();
    }
    const { code, output } = await replaying;
    await proxy.close();
    expect(code, output).to.equal(0);
    await deployment.caughtUp(90_000, 2);
  });

  it('both projectors are ready after the switch', async () => {
    await run('verify');
    await run('switch', '--allow-explained');
    await expectReady(earlier);
    await expectReady(upgraded);
  });

  it('the old projector becomes unready when no projector writes the live generation', async () => {
    await upgraded.stop();
    await eventually('unready', async () => (await earlier.reasons()).length > 0);
    expect((await earlier.reasons()).join()).to.match(
      /^generation 2 was built with .*, and no other projector writes it\. Start a projector of the other version$/,
    );
    expect(await isReady(earlier)).to.equal(0);
    expect(await awaitsReplay(earlier), 'ProjectorNotReady fires').to.equal(0);
    upgraded = await runProjector(deployment, {}, { observeEvery: 200 });
    await expectReady(earlier);
  });

  it('the old projector has no work left after the prune, and awaits a replay that never comes', async () => {
    await run('prune');
    await eventually('the old projector awaits a replay', async () => (await awaitsReplay(earlier)) === 1);
    await expectReady(upgraded);
  });
});
