import { spawn } from 'node:child_process';
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder } from '@vitrine/engines/testing';

const VERSION = '4.32.5';

export interface Run {
  code: number;
  output: string;
}

/**
 * Installs the program `st` in a folder outside the clone, on the first call only.
 * @returns the path of the program, or the reason why it is not available
 */
export async function findSchemathesis(): Promise<{ path: string } | { missing: string }> {
  const folder = join(cacheFolder(process.env, process.getuid?.() === 0), `schemathesis-${VERSION}`);
  const path = join(folder, 'bin', 'st');
  const complete = join(folder, 'complete');
  if (await exists(complete)) return { path };
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [command, ...args] of [
    ['python3', '-m', 'venv', folder],
    [
      join(folder, 'bin', 'pip'),
      'install',
      '--quiet',
      '--disable-pip-version-check',
      `schemathesis==${VERSION}`,
    ],
  ] as [string, ...string[]][]) {
    const { code, output } = await run(command, args);
    if (code !== 0)
      return { missing: `${command} ${args.join(' ')}: ${output.trim().split('\n').slice(-3).join(' ')}` };
  }
  await writeFile(complete, '');
  return { path };
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
    return await run(
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

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

function run(
  command: string,
  args: string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Run> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', (error) => resolve({ code: 127, output: error.message }));
    child.on('close', (code) => resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString() }));
  });
}
