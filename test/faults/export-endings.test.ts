import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@vitrine/engines/testing';
import { generateItems } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createChangesIndex, deleteChanges, writeEntries } from '../support/changes-index.ts';
import { engines } from '../support/engines.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { fetchAccepted } from '../support/fetch-accepted.ts';
import { canRun, FOLLOWERS, FollowerProgram } from '../support/follower-program.ts';
import { type Nginx, nginxPath, startNginx } from '../support/nginx.ts';
import { becomesReady, type QueryDeployment, startQuery } from '../support/query-service.ts';
import { addressesOf, eventually, type ServiceProcess, startService } from '../support/service-process.ts';

const LONG_AGO = Date.now() - 3_600_000;
const ITEMS = 3_000;
/**
 * The fourth search of an export waits in Elasticsearch, so its process always ends in the middle of the
 * export.
 */
const SLICES_BEFORE_THE_END = 3;

describe('G6: the end of an export', () => {
  /** This deployment only creates the indices. Other processes send the exports. */
  let deployment: QueryDeployment;
  let proxy: FaultProxy;
  let env: Record<string, string>;
  let port: number;
  let service: ServiceProcess;
  /** Resolves as soon as the export waits for its fourth slice. */
  let inTheMiddle: PromiseWithResolvers<void>;
  const ids = generateItems(ITEMS).map(({ id }) => id);

  before(async () => {
    deployment = await startQuery();
    const { elasticsearch, prefix } = deployment;
    await deployment.createIndex(generateItems(ITEMS));
    await createChangesIndex(elasticsearch, prefix, 1, 1);
    await writeEntries(
      elasticsearch,
      prefix,
      1,
      ids.map((id) => [id, 'updated'] as const),
      LONG_AGO,
    );
    const { settings } = await engines();
    proxy = await startFaultProxy(settings.ELASTICSEARCH_URL);
    [port = 0] = await freePorts(1);
    env = {
      ...settings,
      INDEX_PREFIX: prefix,
      PORT: String(port),
      ADMIN_PORT: '0',
      LOG_LEVEL: 'info',
      RATE_LIMIT: 'off',
    };
  });
  after(async () => {
    await proxy?.close();
    await deleteChanges(deployment.elasticsearch, deployment.prefix);
    await deployment.close();
  });

  const start = async (more: Record<string, string> = {}) => {
    service = startService('query', { ...env, ...more });
    await becomesReady((await addressesOf(service)).admin);
  };
  beforeEach(async () => {
    inTheMiddle = Promise.withResolvers();
    let slices = 0;
    proxy.hook = (_, moment, { path, body }) => {
      const isSlice = moment === 'before' && path === '/_search' && body.includes('"sort":[{"id"');
      if (!isSlice || ++slices <= SLICES_BEFORE_THE_END) return 'pass';
      inTheMiddle.resolve();
      return new Promise(() => undefined);
    };
    proxy.become('open');
    await start({ ELASTICSEARCH_URL: proxy.url });
  });
  afterEach(() => service.end('SIGKILL'));

  /** Reads an export over HTTP/1.0 until the connection ends. */
  const readExport = () => {
    const pieces: Buffer[] = [];
    let error: NodeJS.ErrnoException | undefined;
    const socket = connect(port, '127.0.0.1', () =>
      socket.write('GET /api/export HTTP/1.0\r\nHost: a\r\n\r\n'),
    );
    socket.on('error', (raised) => (error = raised));
    socket.on('data', (piece) => pieces.push(piece));
    const closed = once(socket, 'close').catch(() => undefined);
    return async () => {
      await closed;
      const [head = '', body = ''] = Buffer.concat(pieces).toString().split('\r\n\r\n');
      return { head, lines: body.split('\n').filter(Boolean).length, code: error?.code };
    };
  };

  const ENDINGS: readonly [name: string, end: () => unknown, code: string | undefined][] = [
    ['SIGKILL, after which the connection ends like a complete one', () => service.end('SIGKILL'), undefined],
    ['SIGTERM', () => service.child.kill('SIGTERM'), 'ECONNRESET'],
    [
      'two signals at once, as a process group with npm receives them',
      () => {
        // The system may merge two equal signals into one.
        service.child.kill('SIGTERM');
        service.child.kill('SIGINT');
      },
      'ECONNRESET',
    ],
    ['a failure of Elasticsearch', () => proxy.become('refuse'), 'ECONNRESET'],
  ];
  for (const [name, end, code] of ENDINGS)
    it(`has no length over HTTP/1.0 after ${name}`, async () => {
      const ended = readExport();
      await inTheMiddle.promise;
      await end();
      const part = await ended();
      expect(part.head)
        .to.match(/^HTTP\/1\.1 200/)
        .and.not.match(/content-length/i);
      expect(part.lines).to.be.below(ITEMS);
      expect(part.code).to.equal(code);
    });

  it('is stated by the length 0 of the response after the last id', async () => {
    const after = [...ids].sort().at(-1);
    const response = await fetchAccepted(`http://127.0.0.1:${port}/api/export?after=${after}`);
    expect([response.status, response.headers.get('content-length'), await response.text()]).to.deep.equal([
      200,
      '0',
      '',
    ]);
  });

  describe('behind nginx with its defaults', () => {
    let nginx: Nginx;
    before(async function () {
      const path = nginxPath();
      if (path === undefined) {
        process.stderr.write('# skipped: exports behind nginx need nginx (NGINX_PATH)\n');
        return this.skip();
      }
      nginx = await startNginx(path, port);
    });
    after(() => nginx?.close());

    /** Kills the service in the middle of an export, and starts another one on the same port. */
    const replaceService = async () => {
      await inTheMiddle.promise;
      await service.end('SIGKILL');
      await start();
    };

    for (const program of FOLLOWERS)
      it(`${program} holds every listing after a SIGKILL of the service`, async function () {
        if (!canRun(program)) return this.skip();
        const follower = new FollowerProgram(program, `${nginx.origin}/api`);
        try {
          follower.start();
          await replaceService();
          await eventually('the export is complete', async () => follower.next(), 120_000);
          expect([...follower.copy().keys()].sort()).to.deep.equal([...ids].sort());
        } finally {
          await follower.close();
        }
      });

    it('`cli -- export` writes every listing after a SIGKILL of the service', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'vitrine-export-'));
      try {
        const out = join(folder, 'items.ndjson');
        const cli = startService('cli', env, ['export', '--out', out, '--url', `${nginx.origin}/api`]);
        await replaceService();
        expect(await cli.exited, cli.log()).to.equal(0);
        expect(existsSync(out)).to.equal(true);
        const lines = readFileSync(out, 'utf8').trimEnd().split('\n');
        expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).to.deep.equal([...ids].sort());
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  });
});
