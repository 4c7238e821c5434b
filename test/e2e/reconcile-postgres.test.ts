import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listingEvent, recordOf } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';

const GUIDE = join(import.meta.dirname, '../../docs/operate/reconcile.md');
const TIME = '2026-11-01T12:00:00Z';
/** Listings with characters whose order depends on the collation, and with characters that CSV quotes. */
const LISTINGS = ['a-1', 'A-1', 'a.1', 'a1', 'B', '_b', '~c'].map((id, i) => ({
  id,
  title: `Casa "${i}",\nde praia`,
  price: 10.5 + i,
  city: 'São Paulo',
  images: i % 2 ? null : [`https://img.example/${i}.jpg`],
  url: `https://vitrine.example/${i}`,
}));

describe('reconcile with the dump that the guide shows', () => {
  let postgres: PostgresServer;
  let deployment: Deployment;
  let projector: RunningProjector;

  before(async function () {
    const started = await startPostgres();
    if (typeof started === 'string') {
      process.stderr.write(`# skipped: ${started}\n`);
      return this.skip();
    }
    postgres = started;
    deployment = await createDeployment('reconcile-postgres', 1);
    projector = await runProjector(deployment);
    await deployment.publish(
      LISTINGS.map(({ id, city, images, ...fields }) =>
        recordOf(
          listingEvent(id, 3, TIME, {
            type: 'snapshot',
            data: { listing: { ...fields, images, location: { city } } },
          }),
        ),
      ),
    );
    await deployment.caughtUp();
  });
  after(async () => {
    await projector?.stop();
    await deployment?.close();
    await postgres?.stop();
  });

  it('is in the required order, and equal', async () => {
    const { pool } = postgres;
    await pool.query(
      'CREATE TABLE listings (id text PRIMARY KEY, version bigint, title text, price numeric, city text, ' +
        'images text[], url text, deleted_at timestamptz)',
    );
    for (const { id, title, price, city, images, url } of LISTINGS)
      await pool.query('INSERT INTO listings VALUES ($1, 3, $2, $3, $4, $5, $6)', [
        id,
        title,
        price,
        city,
        images,
        url,
      ]);
    await pool.query("INSERT INTO listings VALUES ('deleted', 9, 'x', 1, 'x', NULL, 'x', now())");
    const [copy] =
      /COPY \([\s\S]*?\) TO STDOUT \(FORMAT csv, HEADER\)/.exec(await readFile(GUIDE, 'utf8')) ?? [];
    const { rows } = await pool.query<{ folder: string }>(
      "SELECT current_setting('data_directory') AS folder",
    );
    const file = join(rows[0]?.folder ?? '', 'listings.csv');
    await pool.query((copy ?? '').replace('STDOUT', `'${file}'`));
    const run = await cli(deployment, ['reconcile', '--source', file]);
    expect(run.json, run.output).to.deep.equal({
      source: LISTINGS.length,
      equal: LISTINGS.length,
      missing: 0,
      extra: 0,
      different: 0,
      changed: 0,
    });
  });
});
