import { MarketEvents } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';

interface Difference {
  id: string;
  members: string[];
  values: Record<string, { live: unknown; new: unknown }>;
}

describe('verify after a replay of an incomplete log', () => {
  let deployment: Deployment;
  let projector: RunningProjector;
  const market = new MarketEvents();
  const [REMOVED, INCOMPLETE, REMOVED_AND_BACK] = [1, 7, 2];

  before(async () => {
    deployment = await createDeployment('lost-removals', 1);
    projector = await runProjector(deployment);
    const late = market.snapshot(REMOVED);
    const lost = [
      market.removed(REMOVED),
      // Every seventh listing lacks a price, so INCOMPLETE is hidden.
      market.snapshot(INCOMPLETE),
      market.snapshot(REMOVED_AND_BACK),
      market.removed(REMOVED_AND_BACK),
    ];
    const kept = [
      market.snapshot(REMOVED_AND_BACK),
      ...[3, 4, 5, 6].map((listing) => market.snapshot(listing)),
    ];
    await deployment.publish([...lost, ...kept]);
    await deployment.caughtUp();
    await deployment.admin.deleteTopicRecords({
      topic: deployment.topic,
      partitions: [{ partition: 0, offset: String(lost.length) }],
    });
    lateEvent = () => deployment.publish([late]);
  });
  after(async () => {
    await projector.stop();
    await deployment.close();
  });
  let lateEvent: () => Promise<void>;

  const expected = [
    { id: MarketEvents.idOf(REMOVED), members: ['removed'] },
    { id: MarketEvents.idOf(REMOVED_AND_BACK), members: ['removed'] },
    { id: MarketEvents.idOf(INCOMPLETE), members: ['replaced', 'fields', 'dates'] },
  ].map((one) => ({ ...one, kind: 'facts', explained: false, reason: { code: 'missing-facts' } }));

  it('reports removals and hidden listings that the new generation lacks, even if all items are equal', async () => {
    const replayed = await cli(deployment, ['replay', '--incomplete-log']);
    expect(replayed.code, replayed.output).to.equal(0);
    expect(await deployment.items(2), 'items').to.deep.equal(await deployment.items(1));
    const verified = await cli(deployment, ['verify']);
    expect(verified.code, verified.stdout).to.equal(3);
    expect(
      (verified.json.differences as Difference[])
        .toSorted((a, b) => (a.id < b.id ? -1 : 1))
        .map(({ values, ...difference }) => {
          expect(Object.keys(values), difference.id).to.deep.equal(difference.members);
          return difference;
        }),
    ).to.deep.equal(expected);
    expect(verified.json.verification).to.deep.include({ explained: 0, unexplained: expected.length });
    for (const flags of [[], ['--allow-explained']]) {
      const refused = await cli(deployment, ['switch', ...flags]);
      expect(refused.code, String(flags)).to.equal(3);
      expect(refused.output).to.include('differs from generation 1');
    }
  });

  it('is right to block the switch: a late event restores the removed listing in the new generation only', async () => {
    await lateEvent();
    await Promise.all([deployment.caughtUp(), deployment.caughtUp(undefined, 2)]);
    const id = MarketEvents.idOf(REMOVED);
    expect([...(await deployment.items(1)).keys()]).not.to.include(id);
    expect([...(await deployment.items(2)).keys()]).to.include(id);
  });

  it('reports no difference after a replay from the states, which keep the removals', async () => {
    expect((await cli(deployment, ['replay', '--from', 'states'])).code).to.equal(0);
    const verified = await cli(deployment, ['verify']);
    expect(verified.code, verified.stdout).to.equal(0);
    expect(verified.json).to.deep.include({ generation: 3, differences: [] });
  });
});
