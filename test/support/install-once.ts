import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '@vitrine/engines/testing';
import { runToEnd } from './run-to-end.ts';

/**
 * Installs programs or libraries in a folder outside the clone, on the first call only.
 * @param name the name of the folder; it must change with the content
 * @param commands the commands that fill the folder; they run in it, one after another
 * @returns the folder, or the reason why its content is not available
 */
export async function installOnce(
  name: string,
  commands: (folder: string) => readonly (readonly [command: string, ...args: string[]])[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ folder: string } | { missing: string }> {
  const folder = join(cacheFolder(process.env, process.getuid?.() === 0), name);
  const complete = join(folder, 'complete');
  if (existsSync(complete)) return { folder };
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [command, ...args] of commands(folder)) {
    const { code, output } = await runToEnd(command, args, { cwd: folder, env });
    if (code !== 0)
      return { missing: `${command} ${args.join(' ')}: ${output.trim().split('\n').slice(-3).join(' ')}` };
  }
  await writeFile(complete, '');
  return { folder };
}
