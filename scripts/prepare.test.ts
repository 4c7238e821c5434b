import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';

const ROOT = join(import.meta.dirname, '..');
/** The machine's PATH, without the runtime's folder that npm has put first. */
const MACHINE_PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !/node_modules[\\/]\.bin|node-gyp-bin/.test(folder))
  .join(delimiter);
const MAIN = "const version: string = process.version;\nconsole.log('runs with', version);\n";

/**
 * A clone without packages, and an npm whose `ci` only records its arguments and creates a runtime from this
 * script.
 */
class Clone {
  readonly folder = mkdtempSync(join(tmpdir(), 'vitrine-clone-'));
  readonly #bin = join(this.folder, 'fake-bin');

  constructor(runtime: string) {
    for (const path of ['package.json', 'package-lock.json', 'scripts', 'packages/runtime/src/processes'])
      cpSync(join(ROOT, path), join(this.folder, path), { recursive: true });
    mkdirSync(join(this.folder, 'packages', 'web'));
    writeFileSync(
      join(this.folder, 'packages', 'web', 'build.mjs'),
      'export const buildPages = () => undefined;\n',
    );
    mkdirSync(join(this.folder, 'demo', 'src'), { recursive: true });
    writeFileSync(join(this.folder, 'demo', 'src', 'main.ts'), MAIN);
    mkdirSync(join(this.folder, 'services', 'query', 'src'), { recursive: true });
    writeFileSync(join(this.folder, 'services', 'query', 'src', 'mcp-stdio.ts'), MAIN);
    mkdirSync(this.#bin);
    const install =
      `mkdir -p node_modules/.bin\nprintf '#!/bin/sh\\n%s\\n' '${runtime}' > ` +
      'node_modules/.bin/node\nchmod +x node_modules/.bin/node\n';
    writeFileSync(join(this.#bin, 'npm'), `#!/bin/sh\necho "$*" >> npm-calls\n${install}`, { mode: 0o755 });
  }

  get npmCalls(): string {
    return readFileSync(join(this.folder, 'npm-calls'), 'utf8');
  }

  get isPrepared(): boolean {
    return existsSync(join(this.folder, 'node_modules', '.vitrine-lock'));
  }

  run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const PATH = `${this.#bin}${delimiter}${MACHINE_PATH}`;
    return spawnSync(command, args, {
      cwd: this.folder,
      env: { ...process.env, PATH, ...env },
      encoding: 'utf8',
    });
  }

  /** Changes the oldest version of Node that the commands accept. */
  require(node: string): void {
    const file = join(this.folder, 'package.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"node": ">=[^"]+"/, `"node": "${node}"`));
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true });
  }
}

describe('the commands on a fresh clone', () => {
  const npm = execFileSync('sh', ['-c', 'command -v npm'], {
    env: { ...process.env, PATH: MACHINE_PATH },
    encoding: 'utf8',
  }).trim();

  it('install the development packages even with NODE_ENV=production, and need no install script', () => {
    using clone = new Clone(`exec "${process.execPath}" "$@"`);
    const peculiar = { NODE_ENV: 'production', npm_config_ignore_scripts: 'true', npm_config_omit: 'dev' };
    const { stdout, stderr, status } = clone.run(npm, ['start'], peculiar);
    expect(stderr).not.to.include('ERR_UNKNOWN_FILE_EXTENSION');
    expect(stdout).to.include(`runs with ${process.version}`);
    expect(clone.npmCalls).to.match(/^ci .*--include=dev/);
    expect({ status, isPrepared: clone.isPrepared }).to.deep.equal({ status: 0, isPrepared: true });
  });

  it('install the packages once', () => {
    using clone = new Clone(`exec "${process.execPath}" "$@"`);
    for (let start = 0; start < 2; start += 1) clone.run(process.execPath, ['scripts/prepare.mjs']);
    expect(clone.npmCalls.trim().split('\n')).to.have.length(1);
  });

  it('prepare npm run mcp with the documented command, so that its first start only starts', () => {
    const page = readFileSync(join(ROOT, 'docs', 'start', 'agents.md'), 'utf8');
    const [, documented = ''] = /^```\n(npm run .*-- --help)\n```$/m.exec(page) ?? [];
    expect(documented.split(' ')).to.include('mcp');
    using clone = new Clone(`exec "${process.execPath}" "$@"`);
    expect(clone.run(npm, documented.split(' ').slice(1)).stderr).to.include('Installing packages');
    const { stdout, stderr, status } = clone.run(npm, ['run', '--silent', 'mcp']);
    expect({ stdout, stderr, status }).to.deep.equal({
      stdout: `runs with ${process.version}\n`,
      stderr: '',
      status: 0,
    });
    expect(clone.npmCalls.trim().split('\n')).to.have.length(1);
  });

  it('accept the packages of a completed npm ci, and not those of another lock file', () => {
    using clone = new Clone(`exec "${process.execPath}" "$@"`);
    const prepare = () => clone.run(process.execPath, ['scripts/prepare.mjs']).status;
    prepare();
    const modules = join(clone.folder, 'node_modules');
    const { packages } = JSON.parse(readFileSync(join(clone.folder, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { version?: string; optional?: boolean }>;
    };
    const npmCiLeaves = (name: string, version?: string) => {
      const installed = Object.entries(packages).filter(([, { optional }]) => !optional);
      const changed = { ...Object.fromEntries(installed), [name]: { ...packages[name], version } };
      writeFileSync(join(modules, '.package-lock.json'), JSON.stringify({ packages: changed }));
      rmSync(join(modules, '.vitrine-lock'));
    };
    npmCiLeaves('node_modules/mocha', packages['node_modules/mocha']?.version);
    expect([prepare(), clone.isPrepared]).to.deep.equal([0, true]);
    expect(clone.npmCalls.trim().split('\n')).to.have.length(1);
    npmCiLeaves('node_modules/mocha', '1.0.0');
    expect([prepare(), clone.isPrepared]).to.deep.equal([0, true]);
    expect(clone.npmCalls.trim().split('\n')).to.have.length(2);
  });

  it("run with the machine's own Node if the packages contain no Node that works", () => {
    using clone = new Clone('exit 1');
    expect(clone.run(process.execPath, ['scripts/prepare.mjs']).status).to.equal(0);
    expect(readlinkSync(join(clone.folder, 'node_modules', '.bin', 'node'))).to.equal(process.execPath);
  });

  it('report in one line that Node is too old, and install nothing', () => {
    using clone = new Clone('echo v20.1.0');
    clone.require('>=99.2');
    const { stderr, status } = clone.run(process.execPath, ['scripts/prepare.mjs']);
    expect(stderr.trim().split('\n').at(-1)).to.match(
      /^The packages contain no Node .* is too old\. Install Node 99\.2 or newer, and repeat the command\.$/,
    );
    expect({ status, isPrepared: clone.isPrepared }).to.deep.equal({ status: 1, isPrepared: false });
  });

  it('install the packages again if the runtime was deleted', () => {
    using clone = new Clone(`echo v99.9.0`);
    clone.require('>=99.2');
    clone.run(process.execPath, ['scripts/prepare.mjs']);
    rmSync(join(clone.folder, 'node_modules', '.bin', 'node'));
    expect(clone.run(process.execPath, ['scripts/prepare.mjs']).status).to.equal(0);
    expect(existsSync(join(clone.folder, 'node_modules', '.bin', 'node'))).to.equal(true);
  });
});

describe('the lock file', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<
      string,
      {
        integrity?: string;
        os?: string;
        cpu?: string;
        link?: boolean;
        hasInstallScript?: boolean;
        resolved?: string;
      }
    >;
  };
  const { allowScripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    allowScripts: Record<string, boolean>;
  };

  it('pins the Node of each usual platform with its hash', () => {
    const runtimes = Object.entries(packages).filter(([path]) =>
      /^node_modules\/node-(bin-)?(linux|darwin)-/.test(path),
    );
    expect(runtimes.map(([, { os, cpu }]) => `${os} ${cpu}`).toSorted()).to.deep.equal([
      'darwin arm64',
      'darwin x64',
      'linux arm64',
      'linux x64',
    ]);
    for (const [, { integrity }] of runtimes) expect(integrity).to.match(/^sha512-[\w+/]{86}==$/);
  });

  it('contains a hash of every package, and no registry address', () => {
    for (const [path, { integrity, resolved }] of Object.entries(packages)) {
      if (!path.includes('node_modules/')) continue;
      const isWorkspace = packages[path]?.link === true;
      expect(isWorkspace || integrity?.startsWith('sha512-'), path).to.equal(true);
      expect(isWorkspace || resolved === undefined, path).to.equal(true);
    }
  });

  it('allows no packages to run install scripts', () => {
    expect(Object.values(allowScripts)).not.to.include(true);
    const withScripts = Object.entries(packages).flatMap(([path, { hasInstallScript }]) =>
      hasInstallScript ? [path.replace(/^.*node_modules\//, '')] : [],
    );
    expect(Object.keys(allowScripts)).to.include.members(withScripts.filter((name) => name !== 'fsevents'));
  });
});
