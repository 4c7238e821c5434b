import { expect } from 'chai';
import { MistakenMarketplace, RELAY } from '../support/marketplace/mistaken-marketplace.ts';

const LISTINGS = 600;

describe('four mistakes of a source', () => {
  let market: MistakenMarketplace;
  let groups: MistakenMarketplace['groups'];
  before(async function () {
    const started = await MistakenMarketplace.start('mistakes', LISTINGS);
    if (typeof started === 'string') {
      process.stderr.write(`# skipped: ${started}\n`);
      return this.skip();
    }
    market = started;
    ({ groups } = market);
  });
  after(() => market?.stop());

  it('have not been made yet: the feed equals the database', async () => {
    expect(await market.differing()).to.deep.equal([]);
    expect(await market.listed('--superseded')).to.deep.equal([]);
    expect(await market.warned('clock-and-sequence')).to.deep.equal([]);
  });

  it('wall-clock versions in one source and a sequence in another are found, and repaired by an epoch', async () => {
    await market.changeByClock(groups.clock, '/marketplace/admin');
    expect(await market.differing(), 'nobody sees the mistake yet').to.deep.equal([]);
    await market.change(groups.clock);
    expect(await market.differing()).to.deep.equal(groups.clock);
    expect(await market.listed('--superseded', '--source', RELAY)).to.deep.equal(groups.clock);
    // A listing with a long calendar has several events.
    expect(await market.superseded()).to.be.at.least(groups.clock.length);
    await market.raiseEpoch(groups.clock);
    expect(await market.differing()).to.deep.equal([]);
    expect(await market.listed('--superseded')).to.deep.equal([]);
  });

  it('a version scheme that went down is found, and repaired by an epoch', async () => {
    const before = await market.superseded();
    await market.changeByClock(groups.scheme, RELAY);
    await market.change(groups.scheme);
    expect(await market.differing()).to.deep.equal(groups.scheme);
    expect(await market.listed('--source', RELAY)).to.deep.equal(groups.scheme);
    expect((await market.superseded()) - before).to.be.at.least(groups.scheme.length);
    await market.raiseEpoch(groups.scheme);
    expect(await market.differing()).to.deep.equal([]);
    expect(await market.listed('--superseded')).to.deep.equal([]);
  });

  it('both could have been found before they went live, because check warns', async () => {
    expect((await market.warned('clock-and-sequence')).sort()).to.deep.equal([
      ...groups.clock,
      ...groups.scheme,
    ]);
  });

  it('deletes without events are extra for reconcile, which removes them', async () => {
    await market.deleteInSilence(groups.deleted);
    expect((await market.cli('verify', '--self')).code, 'the index equals its log').to.equal(0);
    const found = await market.reconcile();
    expect(found.code, found.output).to.equal(3);
    expect(found.json).to.include({ extra: groups.deleted.length, equal: found.json.source });
    expect(found.ids).to.deep.equal({ extra: groups.deleted });

    const refused = await market.reconcile('--publish', '--yes');
    expect(refused.json.error).to.include({ kind: 'refused' });
    await market.caughtUp();
    expect(await market.differing(), 'a refused correction changes nothing').to.deep.equal(groups.deleted);
    await market.reconcile('--publish', '--yes', '--max-removals', '5%');
    await market.caughtUp();
    expect(await market.differing()).to.deep.equal([]);
    expect((await market.reconcile()).code).to.equal(0);
    const { json: status } = await market.cli('status');
    expect(status.reconciliation).to.include({ extra: 0, missing: 0, different: 0 });
  });

  it('a burned version is found, and repaired by repair and an epoch', async () => {
    await market.burn(groups.burned);
    await market.change([groups.burned]);
    expect(await market.differing()).to.deep.equal([groups.burned]);
    expect(await market.listed('--superseded')).to.deep.equal([groups.burned]);
    expect((await market.reconcile()).ids).to.deep.equal({ different: [groups.burned] });
    const repaired = await market.cli('repair', groups.burned, '--epoch', '--yes');
    expect(repaired.json, repaired.output).to.include({ epoch: 1, published: true });
    await market.change([groups.burned]);
    expect(await market.differing(), 'the source still sends the old epoch').to.deep.equal([groups.burned]);
    await market.raiseEpoch([groups.burned]);
    expect(await market.differing()).to.deep.equal([]);
    await market.change([groups.burned]);
    expect(await market.differing(), 'the listing changes again').to.deep.equal([]);
    expect(await market.listed('--superseded')).to.deep.equal([]);
  });

  it('a burned version never enters with MAX_VERSION', async () => {
    await market.restart({ MAX_VERSION: 'now+1d' });
    await market.burn(groups.bounded);
    await market.change([groups.bounded]);
    expect(await market.differing()).to.deep.equal([]);
    expect(await market.listed('--dead-letters', 'version-too-high')).to.deep.equal([groups.bounded]);
  });
});
