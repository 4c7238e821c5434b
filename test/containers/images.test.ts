import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runCompose } from './support/compose.ts';
import { docker, inspectImage } from './support/docker.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const TARGETS = ['projector', 'ingest', 'query', 'cli', 'demo'] as const;
const nameOf = (target: string) => `vitrine/${target}:${version}`;
const PACKAGE_MANAGERS = ['npm', 'npx', 'yarn', 'pnpm', 'corepack'];

/** Prints the packages in node_modules and the workspaces, as name@version, and the list in the SBOM. */
const LIST_PACKAGES = `
  const { globSync, readFileSync, lstatSync } = require('node:fs');
  const { dirname } = require('node:path');
  const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
  const named = ({ name, version }) => name + '@' + version;
  const isLink = (path) => lstatSync(path).isSymbolicLink();
  const isReal = (path) => !isLink(dirname(path));
  const manifests = globSync('**/node_modules/{*,@*/*}/package.json').filter(isReal);
  const workspaces = globSync('{packages,services}/*/package.json').map(read);
  const installed = [...manifests.map(read).filter(({ name }) => name), ...workspaces].map(named);
  const listed = read('sbom.cdx.json').components.map(named);
  console.log(JSON.stringify({ installed, listed }));`;

/** Prints a digest of every file in the application and in the runtime. */
const DIGEST =
  'find /app /usr/local/bin -type f -print0 | sort -z | xargs -0 sha256sum; find /app -type l | sort';

describe('the built images', () => {
  const inImage = (name: string, program: string, ...args: string[]) =>
    docker('run', '--rm', '--user', '0', '--network', 'none', '--entrypoint', program, name, ...args);

  for (const target of TARGETS) {
    it(`${target}: has the labels of the release, and a user other than root`, async () => {
      const { Config } = await inspectImage(nameOf(target));
      const label = (name: string) => Config.Labels?.[`org.opencontainers.image.${name}`];
      expect(label('version')).to.equal(version);
      expect(label('title')).to.equal(`vitrine/${target}`);
      expect(label('licenses')).to.equal('Apache-2.0');
      expect(label('revision')).to.match(/^([0-9a-f]{40}|unknown)$/);
      expect(Config.User).to.match(/^[1-9]\d*:[1-9]\d*$/);
    });

    it(`${target}: contains no package manager`, async () => {
      const names = PACKAGE_MANAGERS.flatMap((name, i) => [...(i > 0 ? ['-o'] : []), '-name', name]);
      expect(await inImage(nameOf(target), 'find', '/', '-xdev', '(', ...names, ')')).to.equal('');
    });

    it(`${target}: lists exactly its packages in sbom.cdx.json`, async () => {
      const { installed, listed } = JSON.parse(
        await inImage(nameOf(target), 'node', '-e', LIST_PACKAGES),
      ) as Record<string, string[]>;
      expect(installed).to.have.length.above(10);
      const unscoped = (names: string[] = []) =>
        [...new Set(names.map((name) => name.replace(/^@vitrine\//, '')))].sort();
      expect(unscoped(listed)).to.deep.equal(unscoped(installed));
    });
  }

  it('a second build without the cache has the same files', async function () {
    this.timeout(30 * 60_000);
    const folder = await mkdtemp(join(tmpdir(), 'vitrine-rebuild-'));
    const image = `vitrine-test/query:${process.pid}`;
    try {
      await writeFile(join(folder, 'override.yaml'), `services: {query: {image: '${image}'}}\n`);
      const files = ['--file', 'compose.yaml', '--file', join(folder, 'override.yaml')];
      const { code, stderr } = await runCompose([...files, 'build', '--no-cache', 'query'], process.env);
      expect(code, stderr.slice(-2_000)).to.equal(0);
      const [first, second] = [
        await inImage(nameOf('query'), 'sh', '-c', DIGEST),
        await inImage(image, 'sh', '-c', DIGEST),
      ];
      expect(first.split('\n')).to.have.length.above(500);
      expect(second).to.equal(first);
    } finally {
      await docker('image', 'rm', image).catch(() => undefined);
      await rm(folder, { recursive: true });
    }
  });
});
