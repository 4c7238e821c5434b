import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';

const PROGRAM = join(import.meta.dirname, 'release-check.ts');

const run = (...args: string[]): Promise<{ code: unknown; stdout: string; stderr: string }> =>
  new Promise((resolve) =>
    execFile(process.execPath, [PROGRAM, ...args], (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    ),
  );

describe('npm run release:check', function () {
  this.timeout(60_000);

  it('describes its options', async () => {
    const { code, stdout } = await run('--help');
    expect(code).to.equal(0);
    for (const option of ['--without-tests', '--allow-no-audit', '--json']) expect(stdout).to.include(option);
  });

  it('rejects an unknown option before any check', async () => {
    const { code, stdout, stderr } = await run('--skip-everything');
    expect(code).to.equal(2);
    expect(stdout).to.equal('');
    expect(stderr).to.include("Unknown option '--skip-everything'");
  });
});
