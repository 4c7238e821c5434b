import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { compareFeed } from '../support/equality/compare-feed.ts';
import { type Feed, startFeed } from '../support/feed-clients.ts';
import { type RunningProjector, runProjector } from '../support/in-process.ts';
import { startMarketplace } from '../support/marketplace/marketplace.ts';
import { OutboxRelay } from '../support/marketplace/outbox-relay.ts';
import type { PostgresServer } from '../support/postgres.ts';

const LISTINGS = 1_000;

describe('a marketplace with a PostgreSQL database', () => {
  let database: PostgresServer | undefined;
  let deployment: Deployment;
  let projector: RunningProjector;
  let feed: Feed;
  before(async function () {
    const started = await startMarketplace(LISTINGS);
    if (typeof started === 'string') {
      process.stderr.write(`# skipped: ${started}\n`);
      this.skip();
    }
    database = started;
    deployment = await createDeployment('marketplace');
    projector = await runProjector(deployment);
    feed = await startFeed(deployment);
  });
  after(async () => {
    await feed?.stop();
    await projector?.stop();
    await deployment?.close();
    await database?.stop();
  });

  it('the feed equals the database after an initial load and after changes', async () => {
    const { pool } = database as PostgresServer;
    const relay = new OutboxRelay(pool, deployment.publish);
    await relay.loadAll();
    await relay.drain();
    await deployment.caughtUp();
    expect(await compareFeed(pool, feed.base)).to.deep.equal([]);
    expect((await feed.page('/public-feed')).meta.total).to.be.within(LISTINGS * 0.9, LISTINGS * 0.99);

    await pool.query("UPDATE listings SET price = price * 2, city = upper(city) WHERE id LIKE '%7'");
    await pool.query("UPDATE listings SET deleted_at = now() WHERE id LIKE '%23'");
    await pool.query("UPDATE listings SET deleted_at = NULL WHERE id LIKE '%5'");
    await pool.query("DELETE FROM listings WHERE id LIKE '%31'");
    await pool.query("UPDATE images SET url = url || '?v=2' WHERE position = 1 AND listing_id LIKE '%4'");
    await pool.query('DELETE FROM reviews WHERE number = 2');
    await pool.query("DELETE FROM calendar WHERE day > current_date + 3 AND listing_id LIKE '%8'");
    await pool.query("UPDATE hosts SET display_name = 'Casa <i>Nova</i>' WHERE id = 3");
    const kinds = new Set((await compareFeed(pool, feed.base)).map(({ kind }) => kind));
    expect(kinds).to.deep.equal(new Set(['different', 'extra', 'missing']));
    await relay.drain();
    await deployment.caughtUp();
    expect(await compareFeed(pool, feed.base)).to.deep.equal([]);
  });
});
