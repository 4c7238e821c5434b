import { type ConnectServer, startConnect } from '@vitrine/engines/sources';
import { listingEvent, recordOf } from '@vitrine/fixtures';
import { expect } from 'chai';
import type pg from 'pg';
import { applyChanges } from '../support/database/changes.ts';
import { DEBEZIUM_FILES, outboxConnector, untilDebeziumCaughtUp } from '../support/database/debezium.ts';
import { type SimpleDatabase, startSimpleDatabase } from '../support/database/simple-database.ts';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { compareFeed } from '../support/equality/compare-feed.ts';
import { simpleDatabaseItems } from '../support/equality/simple-database-items.ts';
import { type Feed, startFeed } from '../support/feed-clients.ts';
import { type RunningProjector, runProjector } from '../support/in-process.ts';
import { readTopic } from '../support/read-topic.ts';
import { eventually } from '../support/service-process.ts';

const SEED = 37;
const LISTINGS = 600;
const SLOT = 'vitrine_outbox';

describe("Debezium's outbox", () => {
  let database: SimpleDatabase;
  let connect: ConnectServer;
  let deployment: Deployment;
  let projector: RunningProjector;
  let feed: Feed;

  before(async function () {
    const started = await startSimpleDatabase({ seed: SEED, count: LISTINGS });
    if (typeof started === 'string') {
      process.stderr.write(`# skipped: ${started}\n`);
      this.skip();
    }
    database = started;
    deployment = await createDeployment('debezium-outbox');
    projector = await runProjector(deployment);
    feed = await startFeed(deployment);
    await database.run(new URL('outbox.sql', DEBEZIUM_FILES));
    connect = await startConnect({ brokers: deployment.env.KAFKA_BROKERS });
  });
  after(async () => {
    await connect?.stop();
    await feed?.stop();
    await projector?.stop();
    await deployment?.close();
    await database?.stop();
  });

  const caughtUp = async () => {
    await untilDebeziumCaughtUp(database, SLOT);
    await deployment.caughtUp();
  };
  const disagreements = () => compareFeed(database.pool, feed.base, simpleDatabaseItems);
  const startConnector = async () => {
    const { name, config } = outboxConnector(database, deployment);
    await connect.putConnector(name, config);
  };

  /** Runs the statements in two sessions. The second session begins before the first one commits. */
  async function atTheSameTime(
    first: (session: pg.PoolClient) => Promise<unknown>,
    second: (session: pg.PoolClient) => Promise<unknown>,
    begin = 'BEGIN',
  ): Promise<void> {
    const [one, other] = [await database.pool.connect(), await database.pool.connect()];
    try {
      const { rows } = await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await one.query('BEGIN');
      await other.query(begin);
      // Under REPEATABLE READ, the transaction sees the database's current contents until the transaction
      // ends.
      await other.query('SELECT count(*) FROM listings');
      await first(one);
      let hasEnded = false;
      const ended = second(other).finally(() => {
        hasEnded = true;
      });
      ended.catch(() => undefined);
      await eventually('the second session has ended or waits', async () => {
        const waits = await database.pool.query(
          "SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND wait_event_type = 'Lock'",
          [rows[0]?.pid],
        );
        return hasEnded || waits.rowCount === 1;
      });
      await one.query('COMMIT');
      await ended;
      await other.query('COMMIT');
    } finally {
      await other.query('ROLLBACK');
      one.release();
      other.release();
    }
  }
  const reprice = (price: number) => (session: pg.PoolClient) =>
    session.query("UPDATE listings SET price = $1 WHERE id = 'anuncio-000001'", [price]);
  const book = (price: number) => (session: pg.PoolClient) =>
    session.query(
      `INSERT INTO calendar VALUES ('anuncio-000001', current_date, true, $1)
       ON CONFLICT (listing_id, day) DO UPDATE SET price = excluded.price`,
      [price],
    );

  it('publishes what was loaded before the connector began', async () => {
    await database.pool.query('CALL publish_all_listings(100)');
    await startConnector();
    await caughtUp();
    expect(await disagreements()).to.deep.equal([]);
    expect((await feed.page('/public-feed')).meta.total).to.be.within(LISTINGS * 0.8, LISTINGS * 0.95);
    expect((await database.pool.query('SELECT FROM outbox')).rowCount).to.equal(0);
  });

  it('writes a record to the partition that other producers choose', async () => {
    const records = await readTopic(deployment.env, deployment.topic);
    const partitions = new Map(records.map(({ key, partition }) => [String(key), partition]));
    expect(new Set(partitions.values()).size).to.equal(4);
    const skipped = {
      specversion: '1.0',
      source: '/test',
      type: 'test',
      time: '2026-01-01T00:00:00Z',
      data: {},
    };
    await deployment.publish(
      [...partitions.keys()].map((id) => ({
        key: id,
        value: JSON.stringify({ ...skipped, id, subject: id }),
      })),
    );
    const all = await readTopic(deployment.env, deployment.topic);
    expect(all).to.have.length(records.length + partitions.size);
    for (const { key, partition } of all)
      expect(partitions.get(String(key)), String(key)).to.equal(partition);
  });

  it('publishes the last state when two sessions change price and calendar of a listing at once', async () => {
    const { pool } = database;
    await pool.query(
      "UPDATE listings SET title = 'Casa', city = 'Natal', url = 'https://a.example/' WHERE id = 'anuncio-000001'",
    );
    await pool.query("UPDATE listings SET deleted_at = NULL WHERE id = 'anuncio-000001'");
    for (let round = 1; round <= 3; round++) {
      await atTheSameTime(reprice(1_000 + round), book(100 + round));
      await atTheSameTime(book(200 + round), reprice(2_000 + round));
    }
    await caughtUp();
    expect(await disagreements()).to.deep.equal([]);
    const { rows } = await pool.query("SELECT price::integer FROM listings WHERE id = 'anuncio-000001'");
    expect(rows).to.deep.equal([{ price: 2_003 }]);
  });

  it('refuses the second of two sessions that keep what they saw, so that it can repeat', async () => {
    const conflict = await atTheSameTime(reprice(31), book(32), 'BEGIN ISOLATION LEVEL REPEATABLE READ').then(
      () => 'committed',
      ({ code }: { code: string }) => code,
    );
    expect(conflict).to.equal('40001');
    await caughtUp();
    expect(await disagreements()).to.deep.equal([]);
  });

  it('publishes long calendars, long texts and prices that the events do not accept', async () => {
    const { pool } = database;
    await pool.query(`INSERT INTO calendar
      SELECT 'anuncio-000002', date '2030-01-01' + day, day % 3 > 0, 90 + day % 7 FROM generate_series(1, 2500) AS day`);
    await pool.query("UPDATE listings SET description = repeat('ção ', 20000) WHERE id = 'anuncio-000003'");
    await pool.query("UPDATE listings SET price = -1 WHERE id = 'anuncio-000004'");
    await pool.query("UPDATE listings SET price = 'NaN' WHERE id = 'anuncio-000005'");
    await pool.query(
      "UPDATE listings SET images = array_fill('https://img.example/' || repeat('x', 4900), ARRAY[250]) WHERE id = 'anuncio-000006'",
    );
    await caughtUp();
    const tooLarge = { id: 'anuncio-000006', kind: 'missing' };
    expect(await disagreements()).to.deep.equal([tooLarge]);
    await pool.query("UPDATE listings SET images = NULL WHERE id = 'anuncio-000006'");
    await pool.query("UPDATE calendar SET price = 70 WHERE listing_id = 'anuncio-000002'");
    await caughtUp();
    expect(await disagreements()).to.deep.equal([]);
    expect(await deployment.deadLetterCount().catch(() => 0)).to.equal(0);
  });

  it('publishes both listings if a day moves from one to the other, and a listing whose id changes', async () => {
    const { pool } = database;
    await pool.query(`UPDATE calendar SET listing_id = 'anuncio-000003'
      WHERE listing_id = 'anuncio-000002' AND day = '2030-01-02'`);
    await pool.query('DELETE FROM calendar WHERE listing_id = $1', ['anuncio-000008']);
    await pool.query("UPDATE listings SET id = 'other-000008' WHERE id = 'anuncio-000008'");
    await caughtUp();
    expect(await disagreements()).to.deep.equal([]);
  });

  it('gives a feed that equals the database after changes, kills of Connect and a load in between', async () => {
    for (const seed of [SEED, SEED + 1, SEED + 2]) {
      const changes = applyChanges(database, { seed, count: LISTINGS });
      await eventually('some changes are committed', async () => changes.committed() > 50);
      await connect.kill();
      const load = seed === SEED + 1 ? database.pool.query('CALL publish_all_listings(50)') : undefined;
      await load;
      await eventually('more changes are committed', async () => changes.committed() > 100);
      await changes.stop();
      await connect.start();
    }
    await caughtUp();
    expect(await disagreements()).to.deep.equal([]);
  });

  it('repairs a listing whose version is burned with the next epoch', async () => {
    const { pool } = database;
    const [id] = (await simpleDatabaseItems(pool)).keys();
    const changes = { price: 1, title: 'Errado' };
    const data = { changes };
    const burned = Number.MAX_SAFE_INTEGER;
    await deployment.publish([
      recordOf(listingEvent(id as string, burned, new Date(), { type: 'changed', data })),
    ]);
    await pool.query('SELECT publish_listings(ARRAY[$1])', [id]);
    await caughtUp();
    expect((await disagreements()).map((found) => found.id)).to.deep.equal([id]);
    await pool.query('UPDATE outbox_listings SET version_epoch = 1 WHERE listing_id = $1', [id]);
    await pool.query('SELECT publish_listings(ARRAY[$1])', [id]);
    await caughtUp();
    expect(await disagreements()).to.deep.equal([]);
  });

  it('lets the server delete its write-ahead log while no listing changes', async () => {
    const { pool } = database;
    await pool.query('CREATE TABLE other AS SELECT generate_series(1, 10000)');
    await untilDebeziumCaughtUp(database, SLOT);
  });
});
