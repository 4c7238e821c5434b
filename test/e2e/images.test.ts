import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@vitrine/engines/testing';
import { expect } from 'chai';
import { readLock, shipped } from '../../scripts/licences.ts';
import { buildImages, filesOf, type Image } from '../support/image.ts';
import { eventually, npmCommand } from '../support/service-process.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const NOT_SHIPPED = /\.test\.ts$|^(demo|test|bench|docs|infra|scripts)\//;
/** VITRINE_FULL=1 also installs the packages with npm, as an image build does. */
const FULL = process.env.VITRINE_FULL === '1';

describe('the images that the Dockerfile describes', () => {
  let folder: string;
  let images: ReadonlyMap<string, Image>;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vitrine-image-'));
    images = await buildImages(folder, FULL);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const imageOf = (target: string): Image => {
    const image = images.get(target);
    if (!image) throw new Error(`the Dockerfile has no target ${target}`);
    return image;
  };
  const run = (target: string, [, ...args]: string[], env: Record<string, string> = {}) => {
    const image = imageOf(target);
    return { cwd: join(image.folder, image.workdir), args, env: { ...image.env, ...env } };
  };
  const runSync = (target: string, command: string[], env: Record<string, string> = {}) => {
    const { args, ...options } = run(target, command, env);
    return spawnSync(process.execPath, args, { ...options, encoding: 'utf8', timeout: 120_000 });
  };

  for (const [target, main, missing] of [
    ['projector', 'services/projector/src/main.ts', ['ELASTICSEARCH_URL', 'KAFKA_BROKERS']],
    ['ingest', 'services/ingest/src/main.ts', ['KAFKA_BROKERS']],
    ['query', 'services/query/src/main.ts', ['ELASTICSEARCH_URL']],
    ['cli', 'services/operator/src/cli/main.ts', ['ELASTICSEARCH_URL', 'KAFKA_BROKERS']],
    ['demo', 'demo/src/living-market.ts', ['KAFKA_BROKERS']],
  ] as const) {
    it(`${target}: runs as a user other than root, with the labels of this version`, () => {
      expect(imageOf(target).user).to.match(/^[1-9]\d*:[1-9]\d*$/);
      expect(imageOf(target).env).to.deep.equal({ NODE_ENV: 'production' });
      const label = (name: string) => imageOf(target).labels[`org.opencontainers.image.${name}`];
      expect({ title: label('title'), version: label('version'), licenses: label('licenses') }).to.deep.equal(
        {
          title: `vitrine/${target}`,
          version,
          licenses: 'Apache-2.0',
        },
      );
      expect(label('description')).to.match(/^(Vitrine|Publishes)/);
    });

    it(`${target}: has every file and package that it needs to start, and no tests`, async () => {
      const files = await filesOf(imageOf(target));
      expect(files).to.include(main);
      const outside = target === 'demo' ? /\.test\.ts$|^(test|bench|docs|infra)\// : NOT_SHIPPED;
      expect(files.filter((path) => outside.test(path))).to.deep.equal([]);
      const command = [...imageOf(target).entrypoint, ...(target === 'cli' ? ['status'] : [])];
      const { status, stderr } = runSync(target, command);
      expect(stderr).to.match(/^bad settings:\n/);
      for (const name of missing) expect(stderr).to.include(`${name} is not set`);
      expect(status).to.equal(target === 'cli' ? 2 : 1);
    });

    it(`${target}: lists exactly its production packages in sbom.cdx.json`, async () => {
      const { components } = JSON.parse(
        await readFile(join(imageOf(target).folder, 'app/sbom.cdx.json'), 'utf8'),
      ) as { components: { name: string; version: string; hashes?: object[] }[] };
      const packages = components.filter(({ hashes }) => hashes !== undefined);
      const locked = shipped(readLock()).filter(({ targets }) => targets.includes(target));
      const named = (list: { name: string; version: string }[]) =>
        [...new Set(list.map(({ name, version }) => `${name}@${version}`))].sort();
      expect(named(packages)).to.deep.equal(named(locked));
    });
  }

  for (const target of ['projector', 'ingest', 'query', 'cli'] as const)
    it(`${target}: runs the command of \`npm run ${target}\``, () => {
      expect(imageOf(target).entrypoint.join(' ')).to.equal(npmCommand(target).join(' '));
    });

  it('ingest: loads a mapping in TypeScript from a mounted folder, with the modules of the image', async () => {
    const mapping = join(folder, 'mapping.ts');
    await writeFile(
      mapping,
      `import { wholeListing } from '@vitrine/ingest/mappings/whole-listing';
      const code: number = typeof wholeListing === 'function' ? 7 : 8;
      process.exit(code);`,
    );
    const settings = { KAFKA_BROKERS: '127.0.0.1:9', MAPPING: mapping };
    const { status, stderr } = runSync('ingest', imageOf('ingest').entrypoint, settings);
    expect(status, stderr).to.equal(7);
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
      await eventually('alive', async () => health() === 0, 60_000);
    } finally {
      child.kill('SIGTERM');
    }
    expect(await exited).to.deep.equal([0, null]);
    expect(health(), 'after').to.equal(1);
  });
});
