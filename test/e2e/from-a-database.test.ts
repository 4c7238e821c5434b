import { dirname, join } from 'node:path';
import { startPostgres } from '@vitrine/engines/sources';
import { createElasticsearch } from '@vitrine/runtime/elasticsearch';
import { expect } from 'chai';
import { CommandRun, freePorts } from '../support/command-run.ts';
import { missing, runStep, type Step, stepsOf, untilPrinted } from '../support/documented-steps.ts';
import { engines } from '../support/engines.ts';

const PAGE = 'docs/start/from-a-database.md';
const ROOT = join(import.meta.dirname, '../..');
/** The time for the start, including the download. */
const START_MS = 600_000;

describe(`walkthrough: ${PAGE}`, () => {
  const steps = stepsOf(PAGE);
  let demo: CommandRun | undefined;
  let env: NodeJS.ProcessEnv;

  before(async function () {
    this.timeout(START_MS);
    const probe = await startPostgres();
    if (typeof probe === 'string') {
      process.stderr.write(`# skipped: ${probe}\n`);
      return this.skip();
    }
    await probe.stop();
    const { settings } = await engines();
    const name = `from-a-database-${process.pid}`;
    const port = await freePorts();
    env = {
      ...settings,
      PORT: String(port),
      ADMIN_PORT: String(port + 1),
      CONSOLE_PORT: '',
      SITE_PORT: String(port + 5),
      LISTING_EVENTS_TOPIC: `${name}.events`,
      INDEX_PREFIX: name,
      CONSUMER_GROUP: name,
    };
    const command = ['--disable-warning=TimeoutNegativeWarning', 'demo/src/database/main.ts'];
    demo = new CommandRun([process.execPath, ...command], { cwd: ROOT, env });
    await demo.says('Ctrl-C stops everything', START_MS);
    const [, psql = '', address = ''] = /^Database: +(\S+) (\S+)$/m.exec(demo.output) ?? [];
    env = { ...env, DATABASE: address, PATH: `${dirname(psql)}:${process.env.PATH}` };
  });
  after(async () => {
    if (!demo) return;
    demo.interrupt();
    await demo.exited;
    demo.kill();
    const client = createElasticsearch({
      url: env.ELASTICSEARCH_URL ?? '',
      requestTimeout: 60_000,
      maxRetries: 3,
    });
    const index = Object.keys(await client.indices.get({ index: `${env.INDEX_PREFIX}-*` }));
    if (index.length > 0) await client.indices.delete({ index });
    await client.close();
  });

  it('ends with an UPDATE that the feed and the changes show', () => {
    expect(steps).to.have.length(5);
    const [update = '', feed = '', changes = ''] = steps.slice(-3).map(({ command }) => command);
    expect(update).to.include('UPDATE listings');
    expect(feed).to.include('/public-feed');
    expect(changes).to.include('/changes');
  });

  for (const [index, step] of steps.entries()) {
    const [firstLine = ''] = step.command.split('\n');
    it(`shows what command ${index + 1} prints: ${firstLine}`, async () => {
      const run = (one: Step) => runStep(one, `http://127.0.0.1:${env.PORT}`, env);
      if (step.command.startsWith('psql')) expect(missing(step.output, await run(step))).to.equal(undefined);
      else await untilPrinted(step, () => run(step));
    }).timeout(180_000);
  }
});
