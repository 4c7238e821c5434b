import { expect } from 'chai';
import type pg from 'pg';
import { startMarketplace } from '../support/marketplace/marketplace.ts';
import { takeEvents } from '../support/marketplace/outbox.ts';
import type { PostgresServer } from '../support/postgres.ts';
import { eventually } from '../support/service-process.ts';

interface OutboxEvent {
  type: string;
  subject: string;
  data: {
    version: number;
    version_epoch: number;
    listing?: { price: number; images?: string[]; availability?: object[]; provider?: { name: string } };
    dates?: object[];
  };
}

/**
 * With these settings, PostgreSQL writes only what a transaction waits for, so a crash loses everything else.
 */
const LAZY = { synchronous_commit: 'off', wal_writer_delay: '10s' };

describe('the published outbox', () => {
  let database: PostgresServer;
  let relay: pg.PoolClient;
  let id: string;

  before(async function () {
    const started = await startMarketplace(20, { settings: LAZY });
    if (typeof started === 'string') {
      process.stderr.write(`# skipped: ${started}\n`);
      return this.skip();
    }
    database = started;
    relay = await connect();
    const { rows } = await relay.query<{ id: string }>(
      'SELECT id FROM published_listings JOIN images ON listing_id = id ' +
        'WHERE id NOT IN (SELECT listing_id FROM calendar) ORDER BY id LIMIT 1',
    );
    id = rows[0]?.id as string;
  });
  after(async () => {
    relay?.release(true);
    await database?.stop();
  });

  const connect = async () => {
    const session = await database.pool.connect();
    // A crash ends the session.
    session.on('error', () => undefined);
    return session;
  };
  const changePrice = (session: pg.PoolClient, price: number) =>
    session.query('UPDATE listings SET price = $2 WHERE id = $1', [id, price]);
  /** Does what a relay does, without Kafka. */
  const publish = async (session = relay): Promise<OutboxEvent[]> => {
    const { numbers, events } = await takeEvents(session);
    await session.query('DELETE FROM outbox WHERE number = ANY($1)', [numbers]);
    return events?.map((event) => JSON.parse(event) as OutboxEvent) ?? [];
  };
  const only = async (): Promise<OutboxEvent> => {
    const events = await publish();
    expect(events).to.have.length(1);
    return events[0] as OutboxEvent;
  };
  const isWaiting = (session: pg.PoolClient) =>
    eventually('the relay waits for a lock', async () => {
      const { rows } = await session.query('SELECT 1 FROM pg_locks WHERE NOT granted');
      return rows.length > 0;
    });

  it('reads the listings after it has taken the rows, so no change is lost', async () => {
    const application = await connect();
    try {
      await application.query('BEGIN');
      await application.query('LOCK TABLE outbox IN ACCESS EXCLUSIVE MODE');
      const published = publish();
      await isWaiting(application);
      await changePrice(application, 11);
      await application.query('COMMIT');
      const prices = [...(await published), ...(await publish())].map(({ data }) => data.listing?.price);
      expect(prices.at(-1)).to.equal(11);
    } finally {
      application.release(true);
    }
  });

  it('publishes a change that commits while it reads with a higher version', async () => {
    const application = await connect();
    try {
      await changePrice(relay, 12);
      await application.query('BEGIN');
      await application.query('LOCK TABLE reviews IN ACCESS EXCLUSIVE MODE');
      const published = publish();
      await isWaiting(application);
      await changePrice(application, 13);
      await application.query('COMMIT');
      const [first, second] = [...(await published), await only()];
      expect(second?.data.listing?.price).to.equal(13);
      expect(second?.data.version).to.be.above(first?.data.version ?? Infinity);
    } finally {
      application.release(true);
    }
  });

  it('accepts a row with a value that jsonb cannot contain, because the application must be able to write it', async () => {
    await relay.query('ALTER TABLE listings ADD COLUMN raw json');
    await relay.query(`UPDATE listings SET price = 15, raw = '"\\u0000"' WHERE id = $1`, [id]);
    expect((await only()).data.listing?.price).to.equal(15);
  });

  it('never gives a version again, even after a crash of PostgreSQL', async () => {
    await changePrice(relay, 14);
    await relay.query('CHECKPOINT');
    const { events } = await takeEvents(relay);
    const before = JSON.parse(events[0] as string) as OutboxEvent;
    await database.kill();
    await database.start();
    relay.release(true);
    relay = await connect();
    expect((await only()).data.version).to.be.above(before.data.version);
  });

  it('gives events to one session at a time', async () => {
    await publish();
    await changePrice(relay, 15);
    const second = await connect();
    try {
      expect(await publish(second)).to.deep.equal([]);
      await only();
    } finally {
      second.release(true);
    }
  });

  it('refuses to work in a transaction that does not see later changes', async () => {
    await relay.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    const error = await takeEvents(relay).catch((reason: Error) => reason);
    expect(error).to.be.an('error').with.property('message').that.includes('READ COMMITTED');
    await relay.query('ROLLBACK');
  });

  it('divides a long calendar, and leaves the calendar out if the view has none', async () => {
    await relay.query(
      'INSERT INTO calendar SELECT $1, current_date + day, true, NULL FROM generate_series(1, 2500) AS day ' +
        'ON CONFLICT DO NOTHING',
      [id],
    );
    for (;;) {
      const events = await publish();
      if (events.length === 0) break;
      const dates = events.map(({ data }) => (data.listing?.availability ?? data.dates ?? []).length);
      expect(Math.max(...dates)).to.be.at.most(1_000);
      expect(events.map(({ data }) => data.version)).to.deep.equal(
        events.map((_, part) => (events[0]?.data.version ?? 0) + part),
      );
    }
    const { rows } = await relay.query<{ view: string }>(
      "SELECT pg_get_viewdef('published_listings') AS view",
    );
    await relay.query(
      'CREATE OR REPLACE VIEW published_listings AS ' +
        "SELECT id, listing - 'availability' AS listing FROM " +
        `(${rows[0]?.view.replace(/;$/, '')}) AS whole`,
    );
    await changePrice(relay, 16);
    expect((await only()).data.listing)
      .to.include({ price: 16 })
      .and.not.to.have.property('availability');
    await relay.query(`CREATE OR REPLACE VIEW published_listings AS ${rows[0]?.view}`);
    await relay.query('DELETE FROM calendar WHERE listing_id = $1', [id]);
    while ((await publish()).length > 0);
  });

  it('names both listings if a part moves', async () => {
    await relay.query("INSERT INTO listings (id, kind) VALUES ('other', 'SALE')");
    await publish();
    await relay.query("UPDATE images SET listing_id = 'other' WHERE listing_id = $1", [id]);
    const events = await publish();
    expect(events.map(({ subject }) => subject).sort()).to.deep.equal([id, 'other'].sort());
    expect(events.find(({ subject }) => subject === id)?.data.listing?.images).to.equal(null);
  });

  it('publishes the change of a host that commits after a listing has moved to this host', async () => {
    const application = await connect();
    try {
      await relay.query("INSERT INTO hosts VALUES (1000001, 'old', 'host')");
      await application.query('BEGIN');
      await application.query("UPDATE hosts SET display_name = 'new' WHERE id = 1000001");
      await relay.query('UPDATE listings SET host_id = 1000001 WHERE id = $1', [id]);
      expect((await only()).data.listing?.provider?.name).to.equal('old');
      await application.query('COMMIT');
      expect((await only()).data.listing?.provider?.name).to.equal('new');
    } finally {
      application.release(true);
    }
  });

  it('leaves out an event that Kafka would refuse, and publishes the others', async () => {
    await relay.query("UPDATE images SET url = repeat('x', 1000001) WHERE listing_id = 'other'");
    await changePrice(relay, 17);
    expect((await only()).subject).to.equal(id);
    expect(await publish()).to.deep.equal([]);
  });

  it('needs no rights for the services that write the tables', async () => {
    await relay.query('CREATE ROLE service LOGIN; GRANT SELECT, UPDATE ON listings TO service');
    await relay.query('SET ROLE service');
    await changePrice(relay, 18);
    await relay.query('RESET ROLE');
    expect((await only()).data.listing?.price).to.equal(18);
  });

  it('gives a relay what it needs with the rights that the page names', async () => {
    await relay.query(
      'CREATE ROLE relay; GRANT SELECT ON published_listings, version_epochs TO relay; ' +
        'GRANT SELECT, DELETE ON outbox TO relay; GRANT USAGE ON SEQUENCE listing_versions TO relay',
    );
    await changePrice(relay, 19);
    await relay.query('SET ROLE relay');
    expect((await only()).data.listing?.price).to.equal(19);
    await relay.query('RESET ROLE');
  });

  it('removes deleted listings, and keeps their epoch', async () => {
    await relay.query('INSERT INTO version_epochs VALUES ($1, 3)', [id]);
    expect((await only()).data).to.include({ version_epoch: 3 });
    await relay.query('DELETE FROM listings WHERE id = $1', [id]);
    const { type, data } = await only();
    expect({ type, ...data }).to.include({ type: 'marketplace.listing.removed', version_epoch: 3 });
  });

  it('shows why a clock is not a version: the last writer of a row can have the older time', async () => {
    await relay.query('CREATE TABLE adverts (id integer PRIMARY KEY, updated_at timestamptz); ');
    await relay.query('INSERT INTO adverts VALUES (1, NULL)');
    const [slow, fast] = [await connect(), await connect()];
    const update = 'UPDATE adverts SET updated_at = now() RETURNING updated_at';
    await slow.query('BEGIN');
    await slow.query('SELECT now()');
    const first = await fast.query<{ updated_at: Date }>(update);
    const last = await slow.query<{ updated_at: Date }>(update);
    await slow.query('COMMIT');
    expect(last.rows[0]?.updated_at.getTime()).to.be.below(first.rows[0]?.updated_at.getTime() ?? 0);
    for (const session of [slow, fast]) session.release(true);
  });
});
