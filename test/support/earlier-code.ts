import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
/** The parts of the repository that the services need. */
const PARTS = ['package.json', 'packages', 'services'];
/** A commit of code takes a few megabytes. */
const MAX_ARCHIVE_BYTES = 100 * 1024 * 1024;

/**
 * An earlier commit of this repository, in a folder of its own. It uses the libraries of this installation.
 */
export interface EarlierCode {
  root: string;
  remove(): void;
}

/**
 * Checks out the last commit before `text` appeared below `path`.
 * @returns undefined if the history is not available, as in a shallow clone or an archive
 */
export function codeBefore(text: string, path: string): EarlierCode | undefined {
  const root = mkdtempSync(join(tmpdir(), 'vitrine-earlier-'));
  const remove = () => rmSync(root, { recursive: true, force: true });
  try {
    const introduced = git('log', '--format=%H', '-S', text, '--', path).toString().trim().split('\n').at(-1);
    execFileSync('tar', ['-x', '-C', root], { input: git('archive', `${introduced}^`, ...PARTS) });
  } catch {
    remove();
    return undefined;
  }
  linkLibraries(root);
  return { root, remove };
}

const git = (...args: string[]): Buffer =>
  execFileSync('git', args, {
    cwd: ROOT,
    maxBuffer: MAX_ARCHIVE_BYTES,
    stdio: ['ignore', 'pipe', 'ignore'],
  });

/** The packages of the earlier commit import each other, and the libraries of this installation. */
function linkLibraries(root: string): void {
  const [libraries, own] = [join(root, 'node_modules'), join(root, 'node_modules/@vitrine')];
  mkdirSync(own, { recursive: true });
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== '@vitrine') symlinkSync(join(ROOT, 'node_modules', name), join(libraries, name));
  for (const part of ['packages', 'services'])
    for (const folder of readdirSync(join(root, part))) {
      const { name } = JSON.parse(readFileSync(join(root, part, folder, 'package.json'), 'utf8')) as {
        name: string;
      };
      symlinkSync(join(root, part, folder), join(libraries, name));
    }
}
