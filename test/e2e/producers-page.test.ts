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
      [
        '-e',
        '-o',
        'pipefail',
        '-c',
        FILES.reduce((text, file) => text.replaceAll(file, inTemporary(file)), command),
      ],
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

  const publish = async () => {
    await drainOutbox(database.pool, deployment.publish);
    await deployment.caughtUp();
  };
  /** Runs the page's comparison. */
  const expectComparison = async (result: 'equal' | 'different') => {
    const { code, output } = await run(blocks('sh')[2] as string);
    expect(code, output).to.equal(result === 'equal' ? 0 : 3);
  };

  it('leads from a database to a feed that equals it', async () => {
    const [install = '', check = ''] = blocks('sh');
    const installed = await run(install);
    expect(installed.code, installed.output).to.equal(0);
    const checked = await run(check);
    // A long calendar has two events.
    expect(checked.output).to.match(new RegExp(`^${LISTINGS + 1} records: ${LISTINGS + 1} accepted`, 'm'));
    await publish();
    await expectComparison('equal');
  });

  it('repairs versions that went back', async () => {
    await database.pool.query("SELECT setval('listing_versions', 1)");
    await database.pool.query('UPDATE listings SET price = price + 1');
    await publish();
    await expectComparison('different');
    await database.pool.query(blocks('sql')[0] as string);
    await publish();
    await expectComparison('equal');
  });

  it('repairs a burned version', async () => {
    const [id = ''] = (await deployment.items()).keys();
    const burned = listingEvent(id, Number.MAX_SAFE_INTEGER, new Date().toISOString(), {
      type: 'changed',
      data: { changes: { price: 0 } },
    });
    await deployment.publish([recordOf(burned)]);
    await database.pool.query('UPDATE listings SET price = price + 1');
    await publish();
    await expectComparison('different');
    await database.pool.query((blocks('sql')[1] as string).replace('ID', id));
    await publish();
    await expectComparison('equal');
  });
});
