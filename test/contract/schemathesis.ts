import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pythonPackages } from '../support/python.ts';
import { type Run, runToEnd } from '../support/run-to-end.ts';

const VERSION = '4.32.5';

/**
 * Installs the program `st`.
 * @returns the path of the program, or the reason why it is not available
 */
export async function findSchemathesis(): Promise<{ path: string } | { missing: string }> {
  const found = await pythonPackages(`schemathesis-${VERSION}`, [`schemathesis==${VERSION}`]);
  return 'missing' in found ? found : { path: join(found.programs, 'st') };
}

/**
 * Tests the service whose OpenAPI document is at `url`, with the given number of generated cases per
 * operation.
 */
export async function runSchemathesis(
  path: string,
  url: string,
  { examples, seed }: { examples: number; seed: number },
): Promise<Run> {
  // Python and Hypothesis write files to the folder in which they run.
  const folder = await mkdtemp(join(tmpdir(), 'schemathesis-'));
  try {
    const options = [
      '--max-examples',
      String(examples),
      '--seed',
      String(seed),
      '--workers',
      '1',
      '--continue-on-failure',
      '--warnings',
      'off',
    ];
    return await runToEnd(
      path,
      ['--no-color', '--config-file', join(import.meta.dirname, 'schemathesis.toml'), 'run', url, ...options],
      {
        cwd: folder,
        env: { ...process.env, PYTHONPATH: import.meta.dirname, PYTHONDONTWRITEBYTECODE: '1' },
      },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
