import { generationNames } from '@vitrine/feed-index';
import { MarketEvents } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { modelOf } from '../support/expected-contents.ts';
import { type FaultProxy, startFaultProxy, type Verdict } from '../support/fault-proxy.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';

describe('verify --self', function () {
  this.timeout(120_000);
  let deployment: Deployment;
  let proxy: FaultProxy;
  let projector: RunningProjector;
  const market = new MarketEvents();
  const items = () => generationNames(deployment.prefix, 1).items;

  before(async () => {
    deployment = await createDeployment('self-check', 1);
    proxy = await startFaultProxy(deployment.env.ELASTICSEARCH_URL as string);
    projector = await runProjector(deployment);
    await deployment.publish([1, 2, 3].map((listing) => market.snapshot(listing)));
    await deployment.caughtUp();
  });
  after(async () => {
    await projector.stop();
    await proxy.close();
    await deployment.close();
  });

  /** Writes an item that has no state, with this version. */
  const forge = async (id: string, version: number) => {
    const [item] = [...(await deployment.items()).values()];
    await deployment.client.index({
      index: items(),
      id,
      version,
      version_type: 'external',
      document: { ...item, id },
      refresh: true,
    });
  };
  const expectModel = async () => {
    await deployment.client.indices.refresh({ index: items() });
    const { items: expected } = modelOf(market.sent);
    const found = await deployment.items();
    expect([...found.keys()].sort()).to.deep.equal([...expected.keys()].sort());
    for (const [id, item] of found) expect(item, id).to.deep.equal(expected.get(id));
  };

  it('deletes an item that has no state', async () => {
    await forge('forged', 7);
    const repaired = await cli(deployment, ['verify', '--self']);
    expect(repaired.json.disagreements, repaired.output).to.deep.equal([
      { id: 'forged', kind: 'without-state', repaired: true },
    ]);
    expect((await cli(deployment, ['verify', '--self'])).json.disagreements).to.deep.equal([]);
    await expectModel();
  });

  it('keeps a listing whose first event arrives while its item without a state is being repaired', async () => {
    const LISTING = 5;
    await forge(MarketEvents.idOf(LISTING), 4);
    const isRepair = (method: string, path: string) => method === 'DELETE' && path.includes(items());
    let arrived = false;
    proxy.hook = async (step, moment, { method, path }): Promise<Verdict> => {
      if (arrived || moment === 'after' || !(step === 'write states' || isRepair(method, path)))
        return 'pass';
      arrived = true;
      await deployment.publish([market.snapshot(LISTING)]);
      await deployment.caughtUp();
      return 'pass';
    };
    const through = { ...deployment, env: { ...deployment.env, ELASTICSEARCH_URL: proxy.url } };
    const repaired = await cli(through, ['verify', '--self']);
    expect(arrived, 'an event arrived during the repair').to.equal(true);
    expect(repaired.json.disagreements, repaired.output).to.deep.equal([
      { id: MarketEvents.idOf(LISTING), kind: 'without-state', repaired: true },
    ]);
    await expectModel();
  });

  it('does not report a failed repair as successful', async () => {
    // This version is far higher than any version that a repair can write.
    await forge('out-of-reach', 5_000);
    const repaired = await cli(deployment, ['verify', '--self']);
    expect(repaired.code).to.equal(3);
    expect(repaired.json.disagreements, repaired.output).to.deep.equal([
      { id: 'out-of-reach', kind: 'without-state', repaired: false },
    ]);
    await deployment.client.delete({ index: items(), id: 'out-of-reach', refresh: true });
  });
});
