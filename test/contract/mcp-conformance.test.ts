import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { generateItems, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';
import { FITTING, LEFT_OUT, NEEDS_FIXTURES, REVISIONS } from './mcp-scenarios.ts';

const run = promisify(execFile);
const SUITE = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
);
const suite = async (...args: string[]): Promise<{ output: string; code: number }> =>
  run(process.execPath, [SUITE, ...args], { maxBuffer: 2 ** 26 }).then(
    ({ stdout, stderr }) => ({ output: stdout + stderr, code: 0 }),
    ({ stdout, stderr, code }: { stdout: string; stderr: string; code: number }) => ({
      output: stdout + stderr,
      code,
    }),
  );

/** The suite's scenarios, with their revisions. Extensions belong to no revision. */
async function scenarios(): Promise<{ name: string; revisions: string[] }[]> {
  const { output } = await suite('list', '--server');
  return [...output.matchAll(/^ {2}- (\S+) \[([^\]]*)\]$/gm)]
    .map(([, name = '', revisions = '']) => ({ name, revisions: revisions.split(',') }))
    .filter(({ revisions }) => !revisions.includes('extension'));
}

describe('conformance suite of MCP', () => {
  let deployment: QueryDeployment;
  let folder: string;
  let all: Awaited<ReturnType<typeof scenarios>>;

  before(async () => {
    all = await scenarios();
    folder = await mkdtemp(join(tmpdir(), 'vitrine-mcp-'));
    deployment = await startQuery({ env: { FEED_TODAY: TODAY } });
    await deployment.createIndex(generateItems(20));
  });
  after(async () => {
    await deployment?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('has no scenario that is neither run nor left out with a reason', async () => {
    const names = all.map(({ name }) => name);
    expect(names).to.include.members([...FITTING]);
    const beginnings = Object.keys(LEFT_OUT);
    const unknown = names.filter(
      (name) => !FITTING.has(name) && !beginnings.some((beginning) => name.startsWith(beginning)),
    );
    expect(unknown).to.deep.equal([]);
  });

  for (const revision of REVISIONS)
    it(`passes for ${revision}`, async () => {
      const baseline = join(folder, `${revision}.yml`);
      await writeFile(baseline, `server:\n${NEEDS_FIXTURES.map((check) => `  - ${check}\n`).join('')}`);
      const fitting = all.filter(({ name, revisions }) => FITTING.has(name) && revisions.includes(revision));
      expect(fitting.length).to.be.at.least(8);
      for (const { name } of fitting) {
        const { output, code } = await suite(
          'server',
          ...['--url', `${deployment.origin}/mcp`, '--scenario', name, '--spec-version', revision],
          ...(name === 'server-stateless' ? ['--expected-failures', baseline] : []),
          ...['--output-dir', folder],
        );
        expect(code, `${name}\n${output}`).to.equal(0);
      }
    });
});
