// This file runs with any Node. It installs the packages that every command needs.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureRuntime } from './node-runtime.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const stamp = join(root, 'node_modules', '.vitrine-lock');
const lock = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex');

const isPrepared = () =>
  existsSync(stamp) && readFileSync(stamp, 'utf8') === lock && ensureRuntime(root) === undefined;
const finish = () => {
  const problem = ensureRuntime(root);
  if (problem === undefined) writeFileSync(stamp, lock);
  return problem;
};
// Somebody may have run `npm ci`, which leaves no stamp.
if (!isPrepared() && !(areInstalled(root) && finish() === undefined)) {
  const { installPackages } = await import('./install-packages.mjs');
  const problem = await installPackages(root, isPrepared, finish);
  if (problem !== undefined) {
    console.error(problem);
    process.exit(1);
  }
}
const { buildPages } = await import('../packages/web/build.mjs');
await buildPages(lock);

function packagesOf(path) {
  return JSON.parse(readFileSync(path, 'utf8')).packages;
}

/**
 * Whether a completed `npm ci` has installed every package of the lock file. npm writes
 * `node_modules/.package-lock.json` as its last step. Packages for other machines may be missing.
 */
function areInstalled(root) {
  try {
    const installed = packagesOf(join(root, 'node_modules', '.package-lock.json'));
    return Object.entries(packagesOf(join(root, 'package-lock.json'))).every(
      ([path, { version, integrity, link, optional }]) =>
        !path.includes('node_modules/') ||
        (installed[path] === undefined
          ? optional === true
          : link === true ||
            (installed[path].version === version && installed[path].integrity === integrity)),
    );
  } catch {
    return false;
  }
}
