import { changesEpochAlias, generationNames, registryIndex } from '@vitrine/feed-index';
import { MarketEvents } from '@vitrine/fixtures';
import { readChangesHistory, readLiveChanges, updateRegistry } from '@vitrine/projection/generations';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';
import { IndexFollower } from '../support/index-follower.ts';
import { eventually } from '../support/service-process.ts';

describe('a generation of an earlier release, which has no changes index', () => {
  let deployment: Deployment;
  let projector: RunningProjector;
  let follower: IndexFollower;
  const market = new MarketEvents();
  const live = () => readLiveChanges(deployment.client, deployment.prefix);
  const command = async (...args: string[]) => {
    const { code, output } = await cli(deployment, args);
    expect(code, `${args.join(' ')}: ${output}`).to.equal(0);
  };
  const publish = async (events: ReturnType<MarketEvents['snapshot']>[], ...generations: number[]) => {
    await deployment.publish(events);
    for (const generation of generations) await deployment.caughtUp(undefined, generation);
  };
  const expectFeed = async () => {
    await follower.follow();
    expect([...follower.items.keys()].sort()).to.deep.equal([...(await deployment.items()).keys()].sort());
  };

  before(async () => {
    deployment = await createDeployment('changes-upgrade', 1);
    const { client, prefix } = deployment;
    const earlier = await runProjector(deployment);
    await publish(
      [1, 2, 3].map((listing) => market.snapshot(listing)),
      1,
    );
    await earlier.stop();
    await client.indices.delete({ index: generationNames(prefix, 1).changes });
    await updateRegistry(client, prefix, (registry) => ({
      ...registry,
      generations: registry.generations.map(({ versions: { changes: _, ...versions }, ...record }) => ({
        ...record,
        versions,
      })),
    }));
    projector = await runProjector(deployment);
    follower = new IndexFollower(client, prefix);
  });
  after(async () => {
    await projector.stop();
    await deployment.close();
  });

  it('is still written, and has no epoch', async () => {
    await publish([market.snapshot(4), market.removed(2)], 1);
    expect([...(await deployment.items()).keys()]).to.have.members([1, 3, 4].map(MarketEvents.idOf));
    expect(await live()).to.equal(undefined);
    expect(
      await deployment.client.indices.exists({ index: generationNames(deployment.prefix, 1).changes }),
    ).to.equal(false);
  });

  it('is followed by a generation with changes after a rebuild and a switch', async () => {
    await command('replay');
    await command('verify');
    await command('switch');
    expect(await live()).to.deep.equal({ epoch: 2, generation: 2 });
    await expectFeed();
    expect(follower.items.size).to.equal(3);
  });

  it('can be live again, which ends the epoch; followers continue after the next switch', async () => {
    await command('rollback');
    expect(await live()).to.equal(undefined);
    await publish([market.snapshot(5), market.removed(1)], 1, 2);
    await command('verify', '2');
    await command('switch', '2');
    expect(await live()).to.deep.equal({ epoch: 3, generation: 2 });
    const before = follower.received.length;
    await expectFeed();
    expect(follower.received.slice(before).sort()).to.deep.equal([1, 5].map(MarketEvents.idOf));
  });

  it('is not confused with a deployment that lost all indices but its changes', async () => {
    const { client, prefix } = deployment;
    await projector.stop();
    const lost = [1, 2].map((number) => generationNames(prefix, number));
    await client.indices.delete({
      index: [...lost.flatMap(({ states, items }) => [states, items]), registryIndex(prefix)],
    });
    projector = await runProjector(deployment);
    await deployment.caughtUp(undefined, 3);
    expect(await live()).to.deep.equal({ epoch: 4, generation: 3 });
    expect(await client.indices.existsAlias({ name: changesEpochAlias(prefix, 3) })).to.equal(false);
    expect((await readChangesHistory(client, prefix)).transitions.map(({ epoch }) => epoch)).to.deep.equal([
      2, 3, 4,
    ]);
    expect(String(await follower.follow().catch((error: unknown) => error))).to.include('expired');
    follower = new IndexFollower(client, prefix);
    await expectFeed();
  });

  it('is replaced after the loss of the live changes index; followers start over', async () => {
    const { client, prefix } = deployment;
    await client.indices.delete({ index: generationNames(prefix, 3).changes });
    await command('replay', '--from', 'states');
    await command('verify');
    await command('switch');
    expect(await live()).to.deep.equal({ epoch: 5, generation: 4 });
    expect(String(await follower.follow().catch((error: unknown) => error))).to.include('expired');
    follower = new IndexFollower(client, prefix);
    await expectFeed();
  });

  it('never uses an epoch again, even if all indices are lost', async () => {
    const { client, prefix } = deployment;
    await projector.stop();
    const all = Object.keys(await client.indices.get({ index: `${prefix}-*` }));
    await client.indices.delete({ index: all });
    projector = await runProjector(deployment);
    await eventually('a generation', live);
    await deployment.caughtUp(undefined, 5);
    expect((await live())?.generation).to.equal(5);
    expect((await live())?.epoch).to.be.above(5);
    expect(String(await follower.follow().catch((error: unknown) => error))).to.include('expired');
    follower = new IndexFollower(client, prefix);
    await expectFeed();
  });
});
