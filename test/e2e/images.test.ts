import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@vitrine/engines/testing';
import { expect } from 'chai';
import { buildImage, filesOf, type Image } from '../support/image.ts';
import { eventually, npmCommand } from '../support/service-process.ts';

/** VITRINE_FULL=1 also installs the packages with npm, as a build of the images does. */
const FULL = process.env.VITRINE_FULL === '1';

describe('the images that the Dockerfile describes', () => {
  let folder: string;
  const images: Record<string, Image> = {};

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vitrine-image-'));
    for (const target of ['projector', 'query'])
      images[target] = await buildImage(target, join(folder, target), FULL);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const imageOf = (target: string): Image => images[target] as Image;
  const run = (target: string, [, ...args]: string[], env: Record<string, string> = {}) => {
    const image = imageOf(target);
    return { cwd: join(image.folder, image.workdir), args, env: { ...image.env, ...env } };
  };
  const runSync = (target: string, command: string[], env: Record<string, string> = {}) => {
    const { args, ...options } = run(target, command, env);
    return spawnSync(process.execPath, args, { ...options, encoding: 'utf8', timeout: 20_000 });
  };

  for (const [target, missing] of [
    ['projector', ['ELASTICSEARCH_URL', 'KAFKA_BROKERS']],
    ['query', ['ELASTICSEARCH_URL']],
  ] as const) {
    it(`${target}: runs the command of \`npm run ${target}\` as a user other than root`, async () => {
      expect(imageOf(target).entrypoint.join(' ')).to.equal(npmCommand(target).join(' '));
      expect(imageOf(target).user).to.match(/^[1-9]\d*:[1-9]\d*$/);
      expect(imageOf(target).env).to.deep.equal({ NODE_ENV: 'production' });
    });

    it(`${target}: has every file and package that it needs to start, and no tests`, async () => {
      const files = await filesOf(imageOf(target));
      expect(files).to.include(`services/${target}/src/main.ts`);
      expect(files.filter((path) => /\.test\.ts$|^(demo|test|bench|docs|infra)\//.test(path))).to.deep.equal(
        [],
      );
      const { status, stderr } = runSync(target, imageOf(target).entrypoint);
      expect(stderr).to.match(/^bad settings:\n/);
      for (const name of missing) expect(stderr).to.include(`${name} is not set`);
      expect(status).to.equal(1);
    });
  }

  it("projector: contains the operator's command line", () => {
    const { status, stdout } = runSync('projector', ['node', 'services/operator/src/cli/main.ts', '--help']);
    expect(status).to.equal(0);
    expect(stdout).to.include('dead-letters');
  });

  it('query: passes its health check while it runs, and stops gracefully after SIGTERM', async () => {
    const [port, adminPort] = await freePorts(2);
    const settings = {
      ELASTICSEARCH_URL: 'http://127.0.0.1:9',
      PORT: String(port),
      ADMIN_PORT: String(adminPort),
    };
    const health = () =>
      runSync('query', imageOf('query').healthcheck, { ADMIN_PORT: String(adminPort) }).status;
    const { args, ...options } = run('query', imageOf('query').entrypoint, settings);
    expect(health(), 'before').to.equal(1);
    const child = spawn(process.execPath, args, { ...options, stdio: 'ignore' });
    const exited = once(child, 'exit');
    try {
      await eventually('alive', async () => health() === 0, 15_000);
    } finally {
      child.kill('SIGTERM');
    }
    expect(await exited).to.deep.equal([0, null]);
    expect(health(), 'after').to.equal(1);
  });
});
