import { expect } from 'chai';
import { MistakenMarketplace, RELAY } from '../support/marketplace/mistaken-marketplace.ts';

/** `check` names at most 100 listings, and more than 100 must have wrong versions. */
const LISTINGS = process.env.VITRINE_FULL === '1' ? 20_000 : 5_000;

describe('a dirty database whose team makes all four mistakes at once', () => {
  let market: MistakenMarketplace;
  before(async function () {
    const started = await MistakenMarketplace.start('dirty-database', LISTINGS);
    if (typeof started === 'string') {
      process.stderr.write(`# skipped: ${started}\n`);
      return this.skip();
    }
    market = started;
  });
  after(() => market?.stop());

  it('finds every wrong listing, and equals the database after the documented steps', async () => {
    const { clock, scheme, deleted, burned } = market.groups;
    const wrongVersions = [...clock, ...scheme, burned];
    await market.changeByClock(clock, '/marketplace/admin');
    await market.changeByClock(scheme, RELAY);
    await market.burn(burned);
    await market.change(wrongVersions);
    await market.deleteInSilence(deleted);

    expect(await market.differing()).to.deep.equal([...wrongVersions, ...deleted].sort());
    expect(await market.listed('--superseded', '--source', RELAY)).to.deep.equal(wrongVersions);
    expect(await market.superseded()).to.be.at.least(wrongVersions.length);
    const warned = await market.warned('clock-and-sequence');
    expect(warned).to.have.length(100);
    expect(wrongVersions).to.include.members(warned);
    const found = await market.reconcile();
    expect(found.code, found.output).to.equal(3);
    expect(found.ids).to.deep.equal({ different: wrongVersions, extra: deleted });

    expect((await market.cli('repair', burned, '--epoch', '--yes')).code).to.equal(0);
    await market.raiseEpoch(wrongVersions);
    expect(await market.listed('--superseded')).to.deep.equal([]);
    const corrected = await market.reconcile('--publish', '--yes', '--max-removals', '5%');
    expect(corrected.ids, corrected.output).to.deep.equal({ extra: deleted });
    await market.caughtUp();
    expect(await market.differing()).to.deep.equal([]);
    expect((await market.reconcile()).code).to.equal(0);
  });
});
