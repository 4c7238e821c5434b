import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';

const MAIN = join(import.meta.dirname, '../../services/operator/src/cli/main.ts');
const ROOT = join(import.meta.dirname, '../..');
const NO_HOME = { HOME: '/nonexistent' };

describe('an operator command as a process', () => {
  describe('compile cache', () => {
    let home: string;
    let temporary: string;
    beforeEach(() => {
      home = mkdtempSync(join(tmpdir(), 'vitrine-home-'));
      temporary = mkdtempSync(join(tmpdir(), 'vitrine-tmp-'));
    });
    afterEach(() => {
      for (const folder of [home, temporary]) rmSync(folder, { recursive: true, force: true });
    });

    const cache = () => join(home, '.cache/vitrine/compile');
    const runHelp = () =>
      execFileSync(process.execPath, [MAIN, '--help'], {
        env: { HOME: home, TMPDIR: temporary },
        encoding: 'utf8',
      });

    it('is in a private folder of the user, and never in the shared temporary folder', () => {
      runHelp();
      expect(readdirSync(temporary)).to.deep.equal([]);
      expect(statSync(cache()).mode & 0o777).to.equal(0o700);
      expect(readdirSync(cache())).to.have.length(1);
    });

    it('is not used if other users can write to its folder', () => {
      mkdirSync(cache(), { recursive: true });
      chmodSync(cache(), 0o777);
      expect(runHelp()).to.include('Usage:');
      expect(readdirSync(cache())).to.deep.equal([]);
    });
  });

  for (const closed of ['stdout', 'stderr'] as const)
    it(`exits like a process killed by SIGPIPE, without a message, when \`| head\` closes ${closed}`, async () => {
      const child = spawn(process.execPath, [MAIN, closed === 'stdout' ? '--help' : 'nonsense'], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: NO_HOME,
      });
      child[closed].destroy();
      const other = closed === 'stdout' ? child.stderr : child.stdout;
      const [written, [code]] = await Promise.all([text(other), once(child, 'exit')]);
      expect({ code, written }).to.deep.equal({ code: 141, written: '' });
    });

  it('exits like a process killed by SIGPIPE when `| head` has read enough of `changes tail`', async () => {
    const page = {
      next: 'http://a/changes?afterChangeNumber=1',
      items: [{ state: 'deleted', id: 'a', modified: 1 }],
    };
    const feed = createHttpServer((_, response) => response.end(JSON.stringify(page))).listen(0, '127.0.0.1');
    await once(feed, 'listening');
    const url = `http://127.0.0.1:${(feed.address() as AddressInfo).port}`;
    const child = spawn(process.execPath, [MAIN, 'changes', 'tail', '--after', '0', '--url', url], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: NO_HOME,
    });
    await once(child.stdout, 'data');
    child.stdout.destroy();
    const [written, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    feed.close();
    feed.closeAllConnections();
    expect({ code, written }).to.deep.equal({ code: 141, written: '' });
  });

  it('ends `changes tail` at the first Ctrl-C, without a message', async () => {
    const page = { next: 'http://a/changes?afterChangeNumber=1', items: [] };
    const polled = Promise.withResolvers<void>();
    const feed = createHttpServer((_, response) => {
      response.end(JSON.stringify(page));
      polled.resolve();
    }).listen(0, '127.0.0.1');
    await once(feed, 'listening');
    const url = `http://127.0.0.1:${(feed.address() as AddressInfo).port}`;
    const child = spawn(process.execPath, [MAIN, 'changes', 'tail', '--after', '0', '--url', url], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: NO_HOME,
    });
    await polled.promise;
    child.kill('SIGINT');
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    feed.close();
    feed.closeAllConnections();
    expect({ code, stdout, stderr }).to.deep.equal({ code: 130, stdout: '', stderr: '' });
  });

  for (const main of ['demo/src/main.ts', 'packages/engines/src/main.ts'])
    it(`${main} exits without a message when the reader of its output is gone`, async () => {
      const child = spawn(process.execPath, [join(ROOT, main), '--help'], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child.stdout.destroy();
      const [written, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
      expect({ code, written }).to.deep.equal({ code: 141, written: '' });
    });

  it('prints no line for each failed connection attempt', async () => {
    const attempts = Promise.withResolvers<void>();
    let count = 0;
    const broker = createServer((socket) => {
      socket.on('error', () => undefined).destroy();
      if (++count === 3) attempts.resolve();
    }).listen(0, '127.0.0.1');
    await once(broker, 'listening');
    const env = { ...NO_HOME, KAFKA_BROKERS: `127.0.0.1:${(broker.address() as AddressInfo).port}` };
    const args = ['--disable-warning=TimeoutNegativeWarning', MAIN, 'topics', 'check'];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'], env });
    const written = text(child.stderr);
    await attempts.promise;
    child.kill('SIGKILL');
    broker.close();
    expect(await written).to.equal('');
  });
});
