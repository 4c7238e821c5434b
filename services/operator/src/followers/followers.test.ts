import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runCli } from '../cli/program.ts';
import { type ExportOptions, exportFeed } from './export-feed.ts';
import { ChangesExpiredError, FeedClient, FeedUnavailableError, type FollowedChange } from './feed-client.ts';
import { tailChanges } from './tail-changes.ts';

/** A service with changes and an export, as docs/reference/rules.md#changes describes them. */
class StubFeed {
  /** The ids in ascending order. */
  ids: string[] = [];
  changes: FollowedChange[] = [];
  /** Changes up to this number are no longer kept. */
  expired = 0;
  /** The change number of the next export. */
  number = 100;
  /** Handles a request instead of this service. Returns true if it did so. */
  intercept: (path: string, response: ServerResponse) => boolean = () => false;
  readonly requests: string[] = [];
  readonly #server = createServer(({ url = '', method }, response) => {
    this.requests.push(method === 'GET' ? url : `${method} ${url}`);
    if (this.intercept(url, response)) return;
    const { pathname, searchParams } = new URL(url, this.base);
    if (pathname === '/api/export') this.#export(searchParams.get('after') ?? '', method, response);
    else if (pathname === '/api/changes')
      this.#changes(Number(searchParams.get('afterChangeNumber')), response);
    else if (pathname === '/api/public-feed')
      response.end(JSON.stringify({ meta: { total: this.ids.length } }));
    else problem(response, 404, 'unknown');
  });

  get base(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/api`;
  }

  async listen(port = 0): Promise<void> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  lines(after = ''): string {
    const ids = this.ids.filter((id) => id > after);
    return ids.map((id) => `${JSON.stringify({ id, title: `título de ${id}` })}\n`).join('');
  }

  #export(after: string, method: string | undefined, response: ServerResponse): void {
    const link = `<https://public.example/api/changes?afterChangeNumber=${this.number++}>; rel="next"`;
    const lines = this.lines(after);
    const isEnd = method !== 'HEAD' && lines === '';
    response.writeHead(200, {
      link,
      'content-type': 'application/x-ndjson',
      ...(isEnd && { 'content-length': '0' }),
    });
    response.end(method === 'HEAD' ? undefined : lines);
  }

  #changes(after: number, response: ServerResponse): void {
    if (after < this.expired) {
      problem(response, 410, 'Start over with an export.');
      return;
    }
    const items = this.changes.filter(({ modified }) => modified > after).slice(0, 2);
    const next = `https://public.example/api/changes?afterChangeNumber=${items.at(-1)?.modified ?? after}&limit=500`;
    response.end(JSON.stringify({ next, items, license: 'https://license.example/' }));
  }
}

function problem(response: ServerResponse, status: number, detail: string): void {
  response.writeHead(status, { 'content-type': 'application/problem+json' });
  response.end(JSON.stringify({ detail }));
}

const change = (modified: number, id = `l-${modified}`): FollowedChange => ({
  state: 'updated',
  id,
  modified,
  data: { title: 'Casa', price: 5 },
});

describe('the commands of a follower', () => {
  let feed: StubFeed;
  let folder: string;
  let client: FeedClient;
  let interrupted: AbortController;
  beforeEach(async () => {
    feed = new StubFeed();
    await feed.listen();
    folder = mkdtempSync(join(tmpdir(), 'vitrine-export-'));
    interrupted = new AbortController();
    client = new FeedClient(feed.base, interrupted.signal, 1);
  });
  afterEach(async () => {
    interrupted.abort();
    await feed.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const run = async (...args: string[]) => {
    let stdout = '';
    let stderr = '';
    const code = await runCli(args, {
      env: { INIT_CWD: folder },
      stdout: { write: (text) => (stdout += text) },
      stderr: { write: (text) => (stderr += text) },
      signal: interrupted.signal,
    });
    return { code, stdout, stderr };
  };

  describe('export', () => {
    const out = () => join(folder, 'items.ndjson');
    const part = () => `${out()}.part`;
    const write = (options: Partial<ExportOptions> = {}) =>
      exportFeed(client, {
        out: out(),
        restart: false,
        onProgress: () => undefined,
        onNotice: () => undefined,
        signal: interrupted.signal,
        ...options,
      });
    beforeEach(() => {
      feed.ids = Array.from({ length: 2_000 }, (_, i) => `l-${10_000 + i}`);
    });
    /** Sends this many bytes of one export. The result breaks off the transfer after the client has them. */
    const sendOnly = (bytes: number): (() => void) => {
      let broken: ServerResponse | undefined;
      feed.intercept = (path, response) => {
        if (broken || !path.startsWith('/api/export')) return false;
        broken = response;
        const link = `<${feed.base}/changes?afterChangeNumber=${feed.number++}>; rel="next"`;
        response.writeHead(200, { link });
        response.write(Buffer.from(feed.lines()).subarray(0, bytes));
        return true;
      };
      return () => broken?.destroy();
    };

    it('writes all items, and prints where the changes continue', async () => {
      const file = 'items.ndjson';
      const { code, stdout } = await run('export', '--out', file, '--url', `${feed.base}/`, '--json');
      expect(code).to.equal(0);
      expect(JSON.parse(stdout)).to.deep.equal({
        out: out(),
        items: 2_000,
        bytes: Buffer.byteLength(feed.lines()),
        changeNumber: 100,
        changes: `${feed.base}/changes?afterChangeNumber=100`,
      });
      expect(readFileSync(out(), 'utf8')).to.equal(feed.lines());
      expect([part(), `${part()}.json`].filter((file) => existsSync(file))).to.deep.equal([]);
    });

    it('continues a transfer that broke off in the middle of a line, with the first change number', async () => {
      const breakOff = sendOnly(1_010);
      const progress: number[] = [];
      const { changeNumber } = await write({
        onProgress: (done) => {
          progress.push(done);
          breakOff();
        },
      });
      expect(changeNumber).to.equal(100);
      expect(readFileSync(out(), 'utf8')).to.equal(feed.lines());
      const [, second] = feed.requests.filter((path) => path.includes('/export'));
      expect(second).to.match(/^\/api\/export\?after=l-100\d\d$/);
      expect(progress.at(-1)).to.equal(2_000);
    });

    it('G6: never mistakes a part for the whole, wherever a transfer ends as if it were complete', async () => {
      const lines = Buffer.from(feed.lines());
      const lineLength = feed.lines().indexOf('\n') + 1;
      /** No bytes, part of the first line, whole lines, a line without its end, and part of a line. */
      const lengths = [0, 5, 3 * lineLength, 7 * lineLength - 1, 9 * lineLength + 4];
      let number = 500;
      feed.intercept = (path, response) => {
        const length = path.startsWith('/api/export') ? lengths.shift() : undefined;
        if (length === undefined) return false;
        const after = new URL(path, feed.base).searchParams.get('after') ?? '';
        const start = lines.length - Buffer.byteLength(feed.lines(after));
        response.writeHead(200, { link: `<${feed.base}/changes?afterChangeNumber=${number++}>; rel="next"` });
        response.end(lines.subarray(start, start + length));
        return true;
      };
      expect(await write()).to.include({ items: 2_000, changeNumber: 500 });
      expect(readFileSync(out(), 'utf8')).to.equal(feed.lines());
      expect(lengths).to.deep.equal([]);
    });

    it('G6: ends after repeated responses without an item, and keeps the incomplete file', async () => {
      feed.intercept = (path, response) => {
        if (!path.startsWith('/api/export')) return false;
        response.writeHead(200, { link: `<${feed.base}/changes?afterChangeNumber=100>; rel="next"` });
        response.end('');
        return true;
      };
      const error = await write().catch((raised: Error) => raised);
      expect(String(error)).to.include('ended before the next item. Run the same command again');
      expect(existsSync(out())).to.equal(false);
    });

    it('continues after an interruption, and keeps the file until the export is complete', async () => {
      writeFileSync(out(), 'an older export\n');
      feed.intercept = (path, response) => {
        if (!path.startsWith('/api/export')) return false;
        response.writeHead(200, { link: `<${feed.base}/changes?afterChangeNumber=100>; rel="next"` });
        response.write(Buffer.from(feed.lines()).subarray(0, 1_010));
        return true;
      };
      const stopped = write({ onProgress: () => interrupted.abort() }).catch((error: Error) => error);
      expect(await stopped).to.have.property('name', 'AbortError');
      expect(readFileSync(out(), 'utf8')).to.equal('an older export\n');
      feed.intercept = () => false;
      feed.number = 777;
      interrupted = new AbortController();
      client = new FeedClient(feed.base, interrupted.signal, 1);
      expect((await write({ signal: interrupted.signal })).changeNumber).to.equal(100);
      expect(readFileSync(out(), 'utf8')).to.equal(feed.lines());
    });

    it('starts over if the service no longer keeps the changes, and with --restart', async () => {
      const leave = () => {
        writeFileSync(part(), feed.lines().slice(0, 1_000));
        writeFileSync(`${part()}.json`, JSON.stringify({ base: feed.base, changeNumber: 5 }));
      };
      leave();
      feed.expired = 6;
      const notices: string[] = [];
      expect((await write({ onNotice: (text) => notices.push(text) })).changeNumber).to.equal(100);
      expect(notices.join()).to.include('it starts over');
      expect(readFileSync(out(), 'utf8')).to.equal(feed.lines());
      leave();
      // The number 101 belongs to the response that stated the end.
      expect((await write({ restart: true })).changeNumber).to.equal(102);
      expect(readFileSync(out(), 'utf8')).to.equal(feed.lines());
    });

    it('starts over if the change numbers of the service began again', async () => {
      writeFileSync(part(), feed.lines().slice(0, 1_000));
      writeFileSync(`${part()}.json`, JSON.stringify({ base: feed.base, changeNumber: 5_000 }));
      const notices: string[] = [];
      // The request for the current change number received the number 100.
      expect((await write({ onNotice: (text) => notices.push(text) })).changeNumber).to.equal(101);
      expect(notices.join()).to.include('it starts over');
      expect(readFileSync(out(), 'utf8')).to.equal(feed.lines());
    });

    it('tries again if the service is unavailable when an interrupted export continues', async () => {
      writeFileSync(part(), feed.lines().slice(0, 1_000));
      writeFileSync(`${part()}.json`, JSON.stringify({ base: feed.base, changeNumber: 5 }));
      let failures = 3;
      feed.intercept = (path, response) => {
        if (!path.startsWith('/api/changes') || failures-- <= 0) return false;
        problem(response, 503, 'restarting');
        return true;
      };
      expect(await write()).to.include({ items: 2_000, changeNumber: 5 });
      expect(readFileSync(out(), 'utf8')).to.equal(feed.lines());
    });

    it('refuses to continue the export of another service', async () => {
      writeFileSync(`${part()}.json`, JSON.stringify({ base: 'https://other.example/api', changeNumber: 5 }));
      const error = await write().catch((raised: Error) => raised);
      expect(String(error)).to.include('https://other.example/api. Use --restart');
    });

    it('ends after repeated failures without progress, and can be continued', async () => {
      feed.intercept = (path, response) => {
        if (path.startsWith('/api/export')) problem(response, 503, '2 exports are already running');
        return path.startsWith('/api/export');
      };
      const notices: string[] = [];
      const error = await write({ onNotice: (text) => notices.push(text) }).catch((raised: Error) => raised);
      expect(String(error)).to.match(
        /returned 503: 2 exports are already running\. Run the same command again/,
      );
      expect(notices).to.have.length(7);
      feed.intercept = () => false;
      expect((await write()).items).to.equal(2_000);
    });

    it('G11: prints no control characters of a foreign service', async () => {
      feed.intercept = (path, response) => {
        if (path.startsWith('/api/export')) problem(response, 400, 'no\u001b[2J\u009b31m\u202e');
        return path.startsWith('/api/export');
      };
      for (const [args, output] of [
        [[], 'stderr'],
        [['--json'], 'stdout'],
      ] as const) {
        const printed = await run('export', '--out', out(), '--url', feed.base, ...args);
        expect(printed.code).to.equal(1);
        expect(printed[output]).to.include('no\\u001b[2J\\u009b31m\\u202e');
      }
    });

    it('writes an empty feed', async () => {
      feed.ids = [];
      expect(await write()).to.include({ items: 0, bytes: 0 });
      expect(readFileSync(out(), 'utf8')).to.equal('');
    });
  });

  describe('changes tail', () => {
    /** Follows until this many changes have arrived. */
    const tail = async (
      count: number,
      after?: number,
      onOutage: (reason: string) => void = () => undefined,
    ) => {
      const received: number[] = [];
      await tailChanges(client, {
        after,
        onChange: ({ modified }) => {
          received.push(modified);
          if (received.length === count) interrupted.abort();
        },
        onOutage,
        signal: interrupted.signal,
        pollEveryMs: 1,
      });
      return received;
    };

    it('begins with the current changes, and prints each page in order', async () => {
      feed.changes = [99, 101, 102, 103].map((modified) => change(modified));
      expect(await tail(3)).to.deep.equal([101, 102, 103]);
      expect(feed.requests.slice(0, 3)).to.deep.equal([
        'HEAD /api/export',
        '/api/changes?afterChangeNumber=100&limit=500',
        '/api/changes?afterChangeNumber=102&limit=500',
      ]);
    });

    it('prints changes that arrive later', async () => {
      setTimeout(() => feed.changes.push(change(8)), 20);
      expect(await tail(1, 7)).to.deep.equal([8]);
    });

    it('survives outages of the service, and reports each one once', async () => {
      feed.changes = [change(1), change(2), change(3)];
      let failures = 3;
      feed.intercept = (path, response) => {
        if (!path.includes('afterChangeNumber=2') || failures-- <= 0) return false;
        if (failures === 1) response.destroy();
        else problem(response, 503, 'Elasticsearch is unavailable');
        return true;
      };
      const outages: string[] = [];
      expect(await tail(3, 0, (reason) => outages.push(reason))).to.deep.equal([1, 2, 3]);
      expect(outages).to.have.length(1);
      expect(outages[0]).to.include('503: Elasticsearch is unavailable');
    });

    it('fails at once if nothing listens', async () => {
      await feed.close();
      const error = await tail(1, 0).catch((raised: Error) => raised);
      expect(error).to.be.instanceOf(FeedUnavailableError);
      await feed.listen();
    });

    it('ends if the service no longer keeps the changes', async () => {
      feed.expired = 6;
      expect(await tail(1, 5).catch((raised: Error) => raised)).to.be.instanceOf(ChangesExpiredError);
      const { code, stdout } = await run('changes', 'tail', '--url', feed.base, '--after', '5', '--json');
      expect(code).to.equal(3);
      const { error } = JSON.parse(stdout) as { error: { kind: string; message: string } };
      expect(error.kind).to.equal('refused');
      expect(error.message).to.include('410: Start over with an export.');
    });

    it('prints a line per change until Ctrl-C, with control characters escaped', async () => {
      feed.changes = [
        { ...change(1), data: { title: 'Casa', price: '\u001b]0;owned\u0007' } },
        { state: 'deleted', id: 'gone\u009b2J\u202e', modified: 2 },
      ];
      for (const [args, lines] of [
        [[], ['1  updated  l-1  \\u001b]0;owned\\u0007  Casa', '2  deleted  gone\\u009b2J\\u202e']],
        [
          ['--json'],
          feed.changes.map((one) =>
            JSON.stringify(one).replace('\u009b', '\\u009b').replace('\u202e', '\\u202e'),
          ),
        ],
      ] as const) {
        interrupted = new AbortController();
        feed.intercept = (path) => {
          if (path.includes('afterChangeNumber=2')) interrupted.abort();
          return false;
        };
        expect(await run('changes', 'tail', '--url', feed.base, '--after', '0', ...args)).to.deep.equal({
          code: 130,
          stdout: `${lines.join('\n')}\n`,
          stderr: '',
        });
      }
    });
  });
});
