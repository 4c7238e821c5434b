import { expect } from 'chai';
import { type SimpleDatabase, startSimpleDatabase } from '../support/database/simple-database.ts';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { compareFeed } from '../support/equality/compare-feed.ts';
import { simpleDatabaseItems } from '../support/equality/simple-database-items.ts';
import { type Feed, startFeed } from '../support/feed-clients.ts';
import { type RunningProjector, runProjector } from '../support/in-process.ts';
import { ingestDeadLetters } from '../support/ingest.ts';
import { debeziumRows } from '../support/ways-in/debezium-rows.ts';
import type { Way } from '../support/ways-in/way.ts';

describe("Debezium's rows", () => {
  let database: SimpleDatabase;
  let deployment: Deployment;
  let projector: RunningProjector;
  let way: Way;
  let feed: Feed;

  before(async function () {
    const started = await startSimpleDatabase({ seed: 37, count: 300 });
    if (typeof started === 'string') {
      process.stderr.write(`# skipped: ${started}\n`);
      this.skip();
    }
    database = started;
    deployment = await createDeployment('debezium-rows');
    projector = await runProjector(deployment);
    feed = await startFeed(deployment);
    way = await debeziumRows(database, deployment);
  });
  after(async () => {
    await way?.stop();
    await feed?.stop();
    await projector?.stop();
    await deployment?.close();
    await database?.stop();
  });

  const differing = async () => {
    await way.caughtUp();
    await deployment.caughtUp();
    return (await compareFeed(database.pool, feed.base, simpleDatabaseItems)).map(({ id }) => id);
  };
  const reprice = (price: number | string, id: string) =>
    database.pool.query('UPDATE listings SET price = $1 WHERE id = $2', [price, id]);

  it('of a snapshot lose to the change of a transaction that was open meanwhile', async () => {
    const { pool } = database;
    const [changed, deleted] = (await simpleDatabaseItems(pool)).keys();
    // The snapshot does not wait for open transactions if the slot already exists, for example after a kill.
    await pool.query("SELECT pg_create_logical_replication_slot('vitrine_rows', 'pgoutput')");
    const session = await pool.connect();
    await session.query('BEGIN');
    await session.query('UPDATE listings SET price = 4 WHERE id = $1', [changed]);
    await session.query('DELETE FROM calendar WHERE listing_id = $1', [deleted]);
    await session.query('DELETE FROM listings WHERE id = $1', [deleted]);
    await pool.query('UPDATE listings SET price = price + 1 WHERE id > $1', [deleted]);
    await way.load();
    await session.query('COMMIT');
    session.release();
    expect(await differing()).to.deep.equal([]);
  });

  it('bring a listing back from a soft deletion with a text that PostgreSQL does not log again', async () => {
    const { pool } = database;
    const [id] = (await simpleDatabaseItems(pool)).keys();
    await pool.query(
      "UPDATE listings SET description = (SELECT string_agg(md5(n::text), ' ') FROM generate_series(1, 300) n) WHERE id = $1",
      [id],
    );
    await pool.query('UPDATE listings SET deleted_at = now() WHERE id = $1', [id]);
    expect(await differing()).to.deep.equal([]);
    await pool.query('UPDATE listings SET deleted_at = NULL WHERE id = $1', [id]);
    expect(await differing()).to.deep.equal([]);
  });

  it('become dead letters if no event can contain them, and block nothing', async () => {
    expect(await differing()).to.deep.equal([]);
    const [negative, notANumber, after] = (await simpleDatabaseItems(database.pool)).keys();
    await reprice(-5, negative as string);
    await reprice('NaN', notANumber as string);
    await database.pool.query("INSERT INTO listings (id, title, price) VALUES ('not/an id', 'Casa', 5)");
    await reprice(77, after as string);
    // The feed keeps the last valid price, while the database has none.
    expect(await differing()).to.deep.equal([negative, notANumber].sort());
    const found = (await ingestDeadLetters(deployment)).map(({ key, value, headers }) => ({
      id: (JSON.parse(String(key)) as { id: string }).id,
      price: (JSON.parse(String(value)) as { after: { price: unknown } }).after.price,
      reason: String(headers?.['dead-letter-reason']),
      topic: String(headers?.['dead-letter-topic']),
    }));
    const topic = `${deployment.prefix}.public.listings`;
    expect(found).to.have.deep.members([
      { id: negative, price: -5, reason: 'schema', topic },
      { id: notANumber, price: 'NaN', reason: 'mapping-failed', topic },
      { id: 'not/an id', price: 5, reason: 'schema', topic },
    ]);
    await reprice(10, negative as string);
    await reprice(11, notANumber as string);
    expect(await differing()).to.deep.equal([]);
  });
});
