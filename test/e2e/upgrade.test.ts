import { MarketEvents } from '@vitrine/fixtures';
import { RULES, type Rules } from '@vitrine/listing';
import { updateRegistry } from '@vitrine/projection/generations';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { cli, runProjector } from '../support/in-process.ts';
import { eventually, type ServiceProcess, startService } from '../support/service-process.ts';

const LISTINGS = 60;
/** The rules of the previous version, whose registry does not record the first start. */
const EARLIER: Rules = { ...RULES, version: RULES.version - 1 };

describe('an upgrade to new rules', () => {
  const market = new MarketEvents();
  let deployment: Deployment;
  let upgraded: ServiceProcess;
  const run = async (...args: string[]) => cli(deployment, args);

  before(async () => {
    deployment = await createDeployment('upgrade');
    await deployment.publish(Array.from({ length: LISTINGS }, (_, i) => market.snapshot(i)));
    const earlier = await runProjector(deployment, {}, { rules: EARLIER });
    await deployment.caughtUp();
    await earlier.stop();
    await updateRegistry(deployment.client, deployment.prefix, ({ generations, ...registry }) => ({
      ...registry,
      generations: generations.map(({ first_start: _, ...record }) => record),
    }));
    upgraded = startService('projector', deployment.env);
  });
  after(async () => {
    await upgraded.end();
    await deployment.close();
  });

  it('makes the new projector log once which generations it does not follow', async () => {
    const line = () =>
      upgraded
        .log()
        .match(/generation 1 was built with [^"]*, and no other projector writes it\. Start a projector/g) ??
      [];
    await eventually('the line', async () => line().length > 0);
    // Meanwhile, the projector reads the registry several more times.
    await new Promise((resolve) => setTimeout(resolve, 3_500));
    expect(line(), upgraded.log()).to.have.length(1);
  });

  it('blocks the switch while the old generation lacks events, until an older projector has applied them', async () => {
    await deployment.publish([
      market.changed(1, { title: 'Depois' }),
      market.changed(2, { title: 'Depois' }),
    ]);
    const replayed = await run('replay', '--from', 'states');
    expect(replayed.json, replayed.output).to.deep.equal({ generation: 2, hasProjector: true });
    await deployment.caughtUp(90_000, 2);
    expect((await run('verify')).json).to.deep.nested.include({
      'verification.explained': 0,
      'verification.unexplained': 2,
    });
    expect((await run('switch', '--allow-explained')).code).to.equal(3);

    const earlier = await runProjector(deployment, {}, { rules: EARLIER });
    try {
      await deployment.caughtUp();
      expect((await run('verify')).json).to.deep.nested.include({
        'verification.explained': 0,
        'verification.unexplained': 0,
      });
      expect((await run('switch', '--allow-explained')).json).to.deep.equal({ from: 1, to: 2 });
    } finally {
      await earlier.stop();
    }
    expect((await run('prune')).json).to.deep.equal({ pruned: [1] });
    const items = await deployment.items();
    expect(
      [...items.values()].filter(({ feed_item: { title } }) => title === 'Depois').map(({ id }) => id),
    ).to.have.members([1, 2].map(MarketEvents.idOf));
  });
});
