import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '@vitrine/engines/testing';
import { runToEnd } from './run-to-end.ts';

/**
 * Installs Python packages in a folder outside the clone, on the first call only.
 * @param name of the folder; it must change with the packages
 * @param packages the arguments of `pip install`
 * @returns the folder with the programs, or the reason why it is not available
 */
export async function pythonPackages(
  name: string,
  packages: readonly string[],
): Promise<{ programs: string } | { missing: string }> {
  const folder = join(cacheFolder(process.env, process.getuid?.() === 0), name);
  const programs = join(folder, 'bin');
  const complete = join(folder, 'complete');
  if (existsSync(complete)) return { programs };
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [command, ...args] of [
    ['python3', '-m', 'venv', folder],
    [join(programs, 'pip'), 'install', '--quiet', '--disable-pip-version-check', ...packages],
  ] as [string, ...string[]][]) {
    const { code, output } = await runToEnd(command, args);
    if (code !== 0)
      return { missing: `${command} ${args.join(' ')}: ${output.trim().split('\n').slice(-3).join(' ')}` };
  }
  await writeFile(complete, '');
  return { programs };
}
