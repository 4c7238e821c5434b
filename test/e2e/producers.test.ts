import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { compareFeed } from '../support/equality/compare-feed.ts';
import { type Feed, startFeed } from '../support/feed-clients.ts';
import { type RunningProjector, runProjector } from '../support/in-process.ts';
import { startMarketplace } from '../support/marketplace/marketplace.ts';
import { loadEverything } from '../support/marketplace/outbox.ts';
import { RELAYS, relayCommand, startRelay } from '../support/marketplace/relay-program.ts';
import type { PostgresServer } from '../support/postgres.ts';
import { eventually, type ServiceProcess } from '../support/service-process.ts';

const LISTINGS = 400;
const KILLS = 4;

/** What happens in a marketplace. Each statement is a transaction of its own. */
const CHANGES = [
  "UPDATE listings SET price = price * 2, city = upper(city) WHERE id LIKE '%7'",
  "UPDATE listings SET deleted_at = now() WHERE id LIKE '%23'",
  "UPDATE listings SET deleted_at = NULL WHERE id LIKE '%5'",
  "DELETE FROM listings WHERE id LIKE '%31'",
  "UPDATE images SET url = url || '?v=2' WHERE position = 1 AND listing_id LIKE '%4'",
  'DELETE FROM reviews WHERE number = 2',
  "DELETE FROM calendar WHERE day > current_date + 3 AND listing_id LIKE '%8'",
  "UPDATE hosts SET display_name = 'Casa <i>Nova</i>' WHERE id = 3",
];

for (const relay of RELAYS)
  describe(`the published relay ${relay}`, () => {
    let command: [string, ...string[]];
    let database: PostgresServer;
    let deployment: Deployment;
    let projector: RunningProjector;
    let feed: Feed;
    let running: ServiceProcess;

    before(async function () {
      const found = await relayCommand(relay);
      const started = typeof found === 'string' ? found : await startMarketplace(LISTINGS);
      if (typeof found === 'string' || typeof started === 'string') {
        process.stderr.write(`# skipped: ${relay}: ${found}, ${started}\n`);
        return this.skip();
      }
      command = found;
      database = started;
      deployment = await createDeployment('producers');
      projector = await runProjector(deployment);
      feed = await startFeed(deployment);
      start();
    });
    after(async () => {
      await running?.stop();
      await feed?.stop();
      await projector?.stop();
      await deployment?.close();
      await database?.stop();
    });

    const start = () => {
      running = startRelay(relay, command, database, deployment);
    };
    const waiting = async () =>
      Number((await database.pool.query<{ count: string }>('SELECT count(*) FROM outbox')).rows[0]?.count);
    /** Waits until the relay has published everything. @returns how the feed differs from the database */
    const differences = async () => {
      await eventually('the outbox is empty', async () => (await waiting()) === 0).catch((error: Error) => {
        throw new Error(`${error.message}. The log of ${relay}:\n${running.log()}`);
      });
      await deployment.caughtUp();
      return compareFeed(database.pool, feed.base);
    };
    const written = async () =>
      (await deployment.admin.fetchTopicOffsets(deployment.topic)).reduce(
        (sum, { high }) => sum + Number(high),
        0,
      );

    it('publishes an initial load, and then changes', async () => {
      await loadEverything(database.pool);
      expect(await differences()).to.deep.equal([]);
      expect((await feed.page('/public-feed')).meta.total).to.be.within(LISTINGS * 0.85, LISTINGS * 0.99);
      for (const change of CHANGES) await database.pool.query(change);
      expect(await differences()).to.deep.equal([]);
    });

    it('continues after kills in the middle of its work', async () => {
      for (let kill = 1; kill <= KILLS; kill++) {
        const before = await written();
        await loadEverything(database.pool);
        await database.pool.query(`UPDATE listings SET price = price + ${kill} WHERE id LIKE '%${kill}'`);
        await eventually('the relay publishes', async () => (await written()) > before, undefined, 5);
        await running.end('SIGKILL');
        await database.pool.query(`UPDATE listings SET title = title || ' ${kill}' WHERE id LIKE '%2'`);
        start();
      }
      expect(await differences()).to.deep.equal([]);
    });

    it('loads everything again with higher versions', async () => {
      await loadEverything(database.pool);
      expect(await differences()).to.deep.equal([]);
      expect(await projector.metric('projector_superseded_total')).to.equal(0);
      expect(await deployment.deadLetterCount()).to.equal(0);
    });

    it('starts over after a crash of the database', async () => {
      await database.kill();
      await database.start();
      await database.pool.query("UPDATE listings SET price = price + 7 WHERE id LIKE '%6'");
      expect(await differences()).to.deep.equal([]);
      expect(running.log()).to.include('The relay starts over');
    });
  });
