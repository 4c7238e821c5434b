import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { listingEvent, recordOf } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { type RunningProjector, runProjector } from '../support/in-process.ts';
import { startMarketplace } from '../support/marketplace/marketplace.ts';
import { drainOutbox } from '../support/marketplace/outbox.ts';
import type { PostgresServer } from '../support/postgres.ts';
import { runToEnd } from '../support/run-to-end.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = 'docs/start/producers.md';
const LISTINGS = 100;
/** The file names in the page's commands, which the test replaces. */
const FILES = ['events.jsonl', 'listings.jsonl'];

describe(PAGE, () => {
  let database: PostgresServer;
  let deployment: Deployment;
  let projector: RunningProjector;
  const blocks = (language: string) =>
    [...readFileSync(join(ROOT, PAGE), 'utf8').matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
      .filter(([, name]) => name === language)
      .map(([, , content]) => content ?? '');

  before(async function () {
    const started = await startMarketplace(LISTINGS, { hasOutbox: false });
    if (typeof started === 'string') {
      process.stderr.write(`# skipped: ${started}\n`);
      return this.skip();
    }
    database = started;
    deployment = await createDeployment('producers-page');
    projector = await runProjector(deployment);
  });
  after(async () => {
    for (const file of FILES) await rm(inTemporary(file), { force: true });
    await projector?.stop();
    await deployment?.close();
    await database?.stop();
  });

  const inTemporary = (file: string) => join(tmpdir(), `${deployment.prefix}-${file}`);

  /** Runs a command as the page shows it. */
  const run = (command: string) =>
    runToEnd(
      'bash',
      ['-e', '-o', 'pipefail', '-c', FILES.reduce((text, file) => text.replaceAll(file, inTemporary(file)), command)],
      {
        cwd: ROOT,
        env: {
          ...process.env,
          ...deployment.env,
          DATABASE_URL: database.url,
          PATH: `${dirname(database.psql)}${delimiter}${process.env.PATH}`,
        },
      },
    );

  const runSql = async (sql: string) => database.pool.query(sql);
  const publish = async () => {
    await drainOutbox(database.pool, deployment.publish);
    await deployment.caughtUp();
  };
  /** The exit code of the page's comparison. */
  const compare = async () => (await run(blocks('sh')[2] as string)).code;

  it('leads from a database to a feed that equals it', async () => {
    const [install = '', check = ''] = blocks('sh');
    const installed = await run(install);
    expect(installed.code, installed.output).to.equal(0);
    const checked = await run(check);
    expect(checked.output).to.match(new RegExp(`^${LISTINGS} records`, 'm'));
    await publish();
    expect(await compare()).to.equal(0);
  });

  it('repairs versions that went back', async () => {
    await runSql("SELECT setval('listing_versions', 100)");
    await runSql('UPDATE listings SET price = price + 1');
    await publish();
    expect(await compare()).to.equal(3);
    await runSql(blocks('sql')[0] as string);
    await publish();
    expect(await compare()).to.equal(0);
  });

  it('repairs a burned version', async () => {
    const [{ id } = { id: '' }] = (await runSql('SELECT id FROM published_listings LIMIT 1')).rows as { id: string }[];
    const burned = listingEvent(id, Number.MAX_SAFE_INTEGER, new Date().toISOString(), {
      type: 'changed',
      data: { changes: { price: 0 } },
    });
    await deployment.publish([recordOf(burned)]);
    await runSql('UPDATE listings SET price = price + 1');
    await publish();
    expect(await compare()).to.equal(3);
    await runSql((blocks('sql')[1] as string).replace('ID', id));
    await publish();
    expect(await compare()).to.equal(0);
  });
});
