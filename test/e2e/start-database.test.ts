import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startPostgres } from '@vitrine/engines/sources';
import { generationNames } from '@vitrine/feed-index';
import { createElasticsearch } from '@vitrine/runtime/elasticsearch';
import { expect } from 'chai';
import { CommandRun, freePorts } from '../support/command-run.ts';
import { engines } from '../support/engines.ts';
import { fetchAccepted } from '../support/fetch-accepted.ts';
import { eventually } from '../support/service-process.ts';

const ROOT = join(import.meta.dirname, '../..');
const MAIN = 'demo/src/database/main.ts';
const START_MS = 600_000; // includes the download
const LIMIT_MS = 120_000;

const shell = promisify(execFile);

interface Item {
  id: string;
  price: number;
  url: string;
  images?: string[];
}

describe('npm run start:database', () => {
  let env: NodeJS.ProcessEnv;
  const runs: CommandRun[] = [];
  const start = (settings: NodeJS.ProcessEnv, ...args: string[]): CommandRun => {
    const command = [process.execPath, '--disable-warning=TimeoutNegativeWarning', MAIN, ...args] as const;
    const run = new CommandRun(command as readonly [string, ...string[]], { cwd: ROOT, env: settings });
    runs.push(run);
    return run;
  };

  before(async () => {
    const { settings } = await engines();
    const name = `start-database-${process.pid}`;
    const port = await freePorts();
    env = {
      ...settings,
      PORT: String(port),
      ADMIN_PORT: String(port + 1),
      CONSOLE_PORT: String(port + 4),
      SITE_PORT: String(port + 5),
      LISTING_EVENTS_TOPIC: `${name}.events`,
      INDEX_PREFIX: name,
      CONSUMER_GROUP: name,
    };
  });

  after(async () => {
    for (const run of runs) run.kill();
    const client = createElasticsearch({
      url: env.ELASTICSEARCH_URL ?? '',
      requestTimeout: 30_000,
      maxRetries: 3,
    });
    const { items, states } = generationNames(env.INDEX_PREFIX ?? '', 1);
    await client.indices.delete({ index: [items, states], ignore_unavailable: true });
    await client.close();
  });

  it('prints help, and says in one line that PostgreSQL is missing', async () => {
    const help = start({}, '--help');
    const missing = start({ ...env, VITRINE_POSTGRES: '/missing' });
    expect(await help.exited).to.equal(0);
    expect(help.output).to.include('npm run start:database [-- options]');
    expect(await missing.exited).to.equal(1);
    expect(missing.output.match(/^.*PostgreSQL is not installed.*$/gm)).to.deep.equal([
      'PostgreSQL is not installed in /missing (VITRINE_POSTGRES). Install PostgreSQL (Debian, Ubuntu: apt-get ' +
        'install postgresql), or start the same with Docker: docker compose --profile database up',
    ]);
  });

  describe('with PostgreSQL', () => {
    let run: CommandRun;

    before(async function () {
      this.timeout(START_MS);
      const probe = await startPostgres();
      if (typeof probe === 'string') {
        process.stderr.write(`# skipped: ${probe}\n`);
        return this.skip();
      }
      await probe.stop();
      run = start(env);
      await run.says('Ctrl-C stops everything', START_MS);
    });

    const found = (pattern: RegExp): string => pattern.exec(run.output)?.[1] ?? '';

    it('shows each complete listing of the database', async () => {
      const [, complete] = /400 listings, (\d+) of them complete/.exec(run.output) ?? [];
      expect(Number(complete)).to.be.within(300, 399);
      expect(found(/Feed complete: (\d+) items/)).to.equal(complete);
    });

    it('serves the pages and pictures of the listings', async () => {
      const feed = found(/^The feeds: +(\S+)/m);
      const { data } = (await (await fetchAccepted(`${feed}?pageSize=20`)).json()) as { data: Item[] };
      const urls = data.flatMap(({ url, images = [] }) => [url, ...images]);
      expect(urls.length).to.be.above(40);
      for (const url of urls) expect((await fetchAccepted(url)).status, url).to.equal(200);
    });

    it('shows an UPDATE from the greeting in the feed and in the changes', async function () {
      this.timeout(LIMIT_MS * 3);
      const update = found(/^ {2}(\S+psql .* -c "UPDATE .*)$/m);
      const [feed = '', changes = ''] = [...run.output.matchAll(/^ {2}curl "(\S+)"$/gm)].map(
        ([, url]) => url ?? '',
      );
      const [, listing = ''] = /id = '(.*?)'/.exec(update) ?? [];
      const items = async () => ((await (await fetchAccepted(feed)).json()) as { data: Item[] }).data;
      expect(await items()).to.deep.equal([]);
      const { stdout } = await shell('sh', ['-c', update]);
      expect(stdout).to.equal('UPDATE 1\n');
      const [item] = await eventually(
        'the change in the feed',
        async () => {
          const page = await items();
          return page.length > 0 ? page : undefined;
        },
        LIMIT_MS,
      );
      expect(item).to.include({ id: listing, price: 99.9 });
      await eventually(
        'the change in the changes',
        async () => {
          const page = (await (await fetchAccepted(changes)).json()) as {
            items: { id: string; data?: Item }[];
          };
          return page.items.some(({ id, data }) => id === listing && data?.price === 99.9) || undefined;
        },
        LIMIT_MS,
      );
    });

    it('refuses a topic that holds the records of another database', async function () {
      this.timeout(LIMIT_MS);
      const port = await freePorts();
      const ports = { PORT: port, ADMIN_PORT: port + 1, SITE_PORT: port + 5 };
      const moved = Object.entries(ports).map(([name, value]) => [name, String(value)]);
      const second = start({ ...env, ...Object.fromEntries(moved), CONSOLE_PORT: '' });
      expect(await second.exited).to.equal(1);
      expect(second.output).to.include(`Topic ${env.LISTING_EVENTS_TOPIC} already holds records`);
    });

    it('stops everything after Ctrl-C', async function () {
      this.timeout(LIMIT_MS * 2);
      const ports = [/postgresql:\/\/vitrine@127\.0\.0\.1:(\d+)/, /Kafka Connect at http:\S+:(\d+)/].map(
        found,
      );
      run.interrupt();
      run.interrupt();
      expect(await run.exited).to.equal(0);
      expect(await run.left(LIMIT_MS)).to.deep.equal([]);
      for (const port of ports) expect(await accepts(Number(port)), port).to.equal(false);
    });
  });
});

/** Whether a server on 127.0.0.1 accepts a connection. */
async function accepts(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' });
  const outcome = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return outcome;
}
