import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generationNames } from '@vitrine/feed-index';
import { createElasticsearch } from '@vitrine/runtime/elasticsearch';
import { expect } from 'chai';
import { freePorts } from '../support/command-run.ts';
import { engines } from '../support/engines.ts';
import { fetchAccepted } from '../support/fetch-accepted.ts';
import { eventually } from '../support/service-process.ts';

const MAIN = join(import.meta.dirname, '../../demo/src/main.ts');
const COUNTS = /^([\d,]+) events \| feed ([\d,]+) items.* \| ([\d,]+) complete, ([\d,]+) hidden \| (.+)$/gm;

/** The number of concurrent requests. The query service refuses searches that it cannot queue. */
const AT_ONCE = 8;

const run = promisify(execFile);

interface Listing {
  url: string;
  images?: string[];
}

interface FeedPage {
  data: Listing[];
  meta: { pageCount: number };
}

interface Start {
  child: ChildProcess;
  output(): string;
  /** Resolves to the process's exit code and signal. */
  ended: Promise<[number | null, NodeJS.Signals | null]>;
}

describe('npm start', () => {
  let env: NodeJS.ProcessEnv;
  let port: number;
  const starts: Start[] = [];

  const start = (settings: NodeJS.ProcessEnv, ...args: string[]): Start => {
    const child = spawn(process.execPath, ['--disable-warning=TimeoutNegativeWarning', MAIN, ...args], {
      env: { ...process.env, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const hear = (chunk: string) => {
      output += chunk;
    };
    child.stdout.setEncoding('utf8').on('data', hear);
    child.stderr.setEncoding('utf8').on('data', hear);
    const started = { child, output: () => output, ended: once(child, 'close') as Start['ended'] };
    starts.push(started);
    return started;
  };

  /** Waits for text on the screen. Fails at once, with the complete output, if the process exits first. */
  const says = async ({ child, output }: Start, what: RegExp, withinMs = 240_000): Promise<void> => {
    const heard = async () => what.test(output()) || child.exitCode !== null;
    await eventually(`"${what.source}" on the screen`, heard, withinMs).catch((error: unknown) =>
      expect.fail(`${error}\n${output()}`),
    );
    expect(output()).to.match(what);
  };

  before(async () => {
    const { settings } = await engines();
    const name = `start-${process.pid}`;
    port = await freePorts();
    env = {
      ...settings,
      PORT: String(port),
      ADMIN_PORT: String(port + 1),
      CONSOLE_PORT: String(port + 3),
      SITE_PORT: String(port + 4),
      LISTING_EVENTS_TOPIC: `${name}.events`,
      INDEX_PREFIX: name,
      CONSUMER_GROUP: name,
      LOG_LEVEL: '',
      FEED_TODAY: '',
      BASE_PATH: '',
    };
  });

  after(async () => {
    for (const { child } of starts) child.kill('SIGKILL');
    const client = createElasticsearch({
      url: env.ELASTICSEARCH_URL ?? '',
      requestTimeout: 30_000,
      maxRetries: 3,
    });
    const { items, states } = generationNames(env.INDEX_PREFIX ?? '', 1);
    await client.indices.delete({ index: [items, states], ignore_unavailable: true });
    await client.close();
  });

  it('prints help, and rejects unknown options', async () => {
    const help = start({}, '--help');
    const wrong = start({}, '--demos');
    expect([await help.ended, await wrong.ended].map(([code]) => code)).to.deep.equal([0, 2]);
    expect(help.output()).to.include('npm start [-- options]');
    expect(wrong.output()).to.include("Unknown option '--demos'");
  });

  it('reports every invalid setting before it starts anything', async () => {
    const { ended, output } = start({ ...env, PORT: 'web', RATE_LIMIT: '-1' });
    expect((await ended)[0]).to.equal(1);
    expect(output()).to.match(/^bad settings:\n {2}PORT="web".*\n {2}RATE_LIMIT="-1".*\n$/);
  });

  describe('on a fresh topic', () => {
    let running: Start;
    let children: number[];

    before(async () => {
      running = start(env);
      await says(running, /Ctrl-C stops everything/);
      children = await childrenOf(running.child.pid);
    });

    // After a failure, this frees the ports for the next test.
    after(() => running.child.kill('SIGKILL'));

    it('shows a complete feed', () => {
      const [, published] = /2000 demo listings published in (\d+) events/.exec(running.output()) ?? [];
      const [, complete] = /Feed complete: (\d+) items/.exec(running.output()) ?? [];
      expect(Number(published)).to.be.above(4_000);
      expect(Number(complete)).to.be.within(1_700, 1_900);
    });

    it('serves the console, which only reads', async () => {
      const [, url = ''] = /Console: +(http:\S+)/.exec(running.output()) ?? [];
      expect(url).to.equal(`http://127.0.0.1:${port + 3}/`);
      const status = await eventually('the console shows the status', async () => {
        const response = await fetch(`${url}api/status`);
        return response.ok ? ((await response.json()) as { generations: { items: number }[] }) : undefined;
      });
      expect(status.generations[0]?.items).to.be.above(1_000);
      const { allowActions } = (await (await fetch(`${url}api/console`)).json()) as { allowActions: boolean };
      expect(allowActions).to.equal(false);
    });

    it('prints four curl lines that work unchanged', async () => {
      const lines = running.output().match(/^ *curl .*$/gm) ?? [];
      expect(lines).to.have.length(4);
      for (const line of lines) {
        const [body = '', status] = await eventually(`a response to ${line}`, async () => {
          const { stdout } = await run('sh', ['-c', `${line} --silent --write-out '\n%{http_code}'`]);
          const answer = stdout
            .split('\n%')
            .join('')
            .split(/\n(?=\d{3}$)/);
          return answer[1] !== '503' && answer;
        });
        expect(status, `${line}\n${body}`).to.equal('200');
        const { data } = JSON.parse(body) as { data: object[] };
        expect(data, line).not.to.have.length(0);
      }
    });

    it('prints admin addresses that respond', async () => {
      const urls = running.output().match(/http:\S+\/(health\/ready|metrics)/g) ?? [];
      expect(urls).to.have.length(4);
      // On a busy machine, a search that tests the readiness may fail.
      for (const url of urls)
        await eventually(`200 of ${url}`, async () => (await fetch(url)).status === 200);
    });

    it('prints the settings for another terminal, and the page about publishing an event', () => {
      const { KAFKA_BROKERS, ELASTICSEARCH_URL } = env;
      expect(running.output()).to.include(
        `export KAFKA_BROKERS=${KAFKA_BROKERS} ELASTICSEARCH_URL=${ELASTICSEARCH_URL}\n`,
      );
      const [page = ''] = /docs\/\S+\.md/.exec(running.output()) ?? [];
      expect(readFileSync(join(import.meta.dirname, '../..', page), 'utf8')).to.include('publish-event');
    });

    it('serves every listing page and every picture, so no link in the feed is dead', async () => {
      const [, site = ''] = /Listings: +(http:\S+)\//.exec(running.output()) ?? [];
      expect(site).to.equal(`http://localhost:${port + 4}`);
      // Two busy services refuse some of these thousands of requests.
      const read = (url: string) =>
        eventually(`a response of ${url}`, async () => {
          const response = await fetch(url);
          const kind = `${response.status} ${response.headers.get('Content-Type')}`;
          const text = await response.text();
          return response.status !== 503 && { kind, text };
        });
      const pictures = new Set<string>();
      const check = async ({ url, images = [] }: Listing) => {
        const page = await read(url);
        // A change may have removed the listing since the feed's page was read.
        if (page.kind.startsWith('404') && (await isGone(port, url))) return;
        expect(page.kind, url).to.equal('200 text/html; charset=utf-8');
        for (const image of images) {
          expect(page.text, url).to.include(`src="${image}"`);
          const { kind, text } = await read(image);
          expect(`${kind} ${text.slice(0, 4)}`, image).to.equal('200 image/svg+xml <svg');
          pictures.add(text);
        }
      };
      for (let page = 1, pages = 1; page <= pages; page++) {
        const feed = await read(`http://localhost:${port}/api/public-feed?pageSize=100&page=${page}`);
        const { data, meta } = JSON.parse(feed.text) as FeedPage;
        pages = meta.pageCount;
        for (let at = 0; at < data.length; at += AT_ONCE)
          await Promise.all(data.slice(at, at + AT_ONCE).map(check));
      }
      expect(pictures.size).to.be.above(1_000);
      const { text } = await read(`${site}/`);
      const links = [...text.matchAll(/(?:href|src)="(http[^"]+|\/[^"]*)"/g)].map(([, link = '']) => link);
      expect(links.length).to.be.above(20);
      for (const link of links) {
        const { href } = new URL(link, site);
        const { kind } = await read(href);
        if (!kind.startsWith('200')) expect(await isGone(port, href), href).to.equal(true);
      }
      const { headers } = await fetch(`http://localhost:${port}/`);
      expect(headers.get('Content-Security-Policy')).to.include(`img-src 'self' https: data: ${site};`);
    });

    it('publishes changes continuously, and prints counts', async () => {
      const counts = () => [...running.output().matchAll(COUNTS)].map((line) => line.slice(1));
      await eventually('five lines of counts', async () => counts().length >= 5);
      const published = counts().map(([events]) => Number(events?.replaceAll(',', '')));
      expect(published).to.deep.equal([...new Set(published)].sort((a, b) => a - b));
      expect(new Set(counts().map(([, , , , change]) => change)).size).to.be.above(3);
      await eventually('the changes in the feed', async () =>
        counts().some(([, items, complete]) => items === complete),
      );
    });

    it('rejects a second `npm start` on the same ports', async () => {
      const second = start(env);
      expect((await second.ended)[0]).to.equal(1);
      for (const part of [
        `Port ${port} (PORT) is in use`,
        `Port ${port + 1} (ADMIN_PORT)`,
        `Port ${port + 2} (ADMIN_PORT + 1)`,
        `Port ${port + 4} (SITE_PORT)`,
        'another `npm start`',
      ]) {
        expect(second.output()).to.include(part);
      }
      const beside = start({ ...env, PORT: String(port + 2), ADMIN_PORT: String(port + 1) });
      expect((await beside.ended)[0]).to.equal(1);
    });

    it('stops everything after Ctrl-C, even if npm forwards the signal a second time', async () => {
      expect(children).to.have.length.above(1);
      running.child.kill('SIGINT');
      running.child.kill('SIGINT');
      expect(await running.ended).to.deep.equal([0, null]);
      expect(children.filter(isAlive)).to.deep.equal([]);
    });
  });

  describe('on a topic that holds records', () => {
    let running: Start;
    let children: number[];

    it('serves the listings of these records and publishes nothing', async () => {
      running = start(env);
      await says(running, /^feed [\d,]+ items/m);
      children = await childrenOf(running.child.pid);
      expect(running.output()).to.include('already holds records, so no demo listings are published');
      expect(running.output()).not.to.match(/\d events/);
    });

    it('leaves no services behind after SIGKILL', async () => {
      expect(children).to.have.length.above(1);
      running.child.kill('SIGKILL');
      await running.ended;
      await eventually('the services are gone', async () => !children.some(isAlive), 120_000);
    });

    it('publishes with --demo, reports a service that dies, and then stops everything', async () => {
      running = start(env, '--demo');
      await says(running, /^[\d,]+ events \|/m);
      children = await childrenOf(running.child.pid);
      const projector = await pidOf('services/projector/src/main.ts', children);
      process.kill(projector, 'SIGKILL');
      expect((await running.ended)[0]).to.equal(1);
      expect(running.output()).to.include('The projector ended unexpectedly (SIGKILL)');
      expect(children.filter(isAlive)).to.deep.equal([]);
    });
  });
});

/** Whether the feed no longer contains the listing of this page. */
async function isGone(port: number, url: string): Promise<boolean> {
  const response = await fetchAccepted(`http://localhost:${port}/ucp/catalog/product`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ id: url.split('/').at(-1) }),
  });
  return !('product' in ((await response.json()) as object));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function processes(): Promise<{ pid: number; parent: number; command: string }[]> {
  const { stdout } = await run('ps', ['-A', '-ww', '-o', 'pid=,ppid=,args=']);
  return stdout
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .filter((line) => line !== null)
    .map(([, pid, parent, command = '']) => ({ pid: Number(pid), parent: Number(parent), command }));
}

async function childrenOf(pid: number | undefined): Promise<number[]> {
  return (await processes()).filter(({ parent }) => parent === pid).map((child) => child.pid);
}

async function pidOf(command: string, among: readonly number[]): Promise<number> {
  const found = (await processes()).find(
    (candidate) => among.includes(candidate.pid) && candidate.command.includes(command),
  );
  if (!found) throw new Error(`none of ${among} runs ${command}`);
  return found.pid;
}
