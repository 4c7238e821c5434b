import { generationNames } from '@vitrine/feed-index';
import { MarketEvents } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createDeployment, type Deployment, registryOf } from '../support/deployment.ts';
import { modelOf } from '../support/expected-contents.ts';
import { type FaultProxy, startFaultProxy, type Verdict } from '../support/fault-proxy.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';
import { eventually, metricOf } from '../support/service-process.ts';

describe('verify --self', () => {
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

  /** Waits until the projector exports a run with this outcome. */
  const exported = async (outcome: string, differences: Record<'repaired' | 'unrepaired', number>) => {
    const verified = (name: string, labels: string) =>
      metricOf(projector.admin, `projector_last_verify_${name}`, labels);
    await eventually(
      `outcome ${outcome}`,
      async () => (await verified('timestamp_seconds', `outcome="${outcome}"`)) > 0,
    );
    for (const [result, count] of Object.entries(differences))
      expect(await verified('differences', `result="${result}"`), result).to.equal(count);
  };

  it('deletes an item that has no state, and the projector exports the repair', async () => {
    await forge('forged', 7);
    const repaired = await cli(deployment, ['verify', '--self']);
    expect(repaired.code, 'the exit code after a repair').to.equal(0);
    await exported('repaired', { repaired: 1, unrepaired: 0 });
    expect(repaired.json.disagreements, repaired.output).to.deep.equal([
      { id: 'forged', kind: 'without-state', repaired: true },
    ]);
    expect((await cli(deployment, ['verify', '--self'])).json.disagreements).to.deep.equal([]);
    await exported('clean', { repaired: 0, unrepaired: 0 });
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
    await exported('unrepaired', { repaired: 0, unrepaired: 1 });
    await deployment.client.delete({ index: items(), id: 'out-of-reach', refresh: true });
  });

  it('records a failed run, keeps the last success, and records no interrupted run', async () => {
    await cli(deployment, ['verify', '--self']);
    const success = (await registryOf(deployment)).self_check?.succeeded_at;
    expect(success).to.be.a('string');
    const through = { ...deployment, env: { ...deployment.env, ELASTICSEARCH_URL: proxy.url } };
    const isCount = (path: string) => path.includes('/_count');
    proxy.hook = (_step, _moment, { path }): Verdict => (isCount(path) ? 'cut' : 'pass');
    expect((await cli(through, ['verify', '--self'])).code).to.equal(1);
    await exported('failed', { repaired: 0, unrepaired: 0 });
    const { self_check: failed } = await registryOf(deployment);
    expect(failed).to.deep.include({ succeeded_at: success });
    expect(failed?.last?.error).to.be.a('string');

    const interruption = new AbortController();
    proxy.hook = (_step, _moment, { path }): Verdict => {
      if (!isCount(path)) return 'pass';
      interruption.abort();
      return 'cut';
    };
    const interrupted = await cli(through, ['verify', '--self'], { signal: interruption.signal });
    expect(interrupted.code, interrupted.output).to.equal(130);
    expect((await registryOf(deployment)).self_check).to.deep.equal(failed);
  });

  it('records no run on a generation that is not live', async () => {
    proxy.hook = () => 'pass';
    const { self_check: before } = await registryOf(deployment);
    expect((await cli(deployment, ['replay', '--from', 'states'])).code).to.equal(0);
    expect((await cli(deployment, ['verify', '2', '--self'])).json).to.include({ generation: 2 });
    expect((await registryOf(deployment)).self_check).to.deep.equal(before);
  });
});
