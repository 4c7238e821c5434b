// This file runs with any Node.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const packagesOf = (path) => JSON.parse(readFileSync(path, 'utf8')).packages;

/**
 * Whether a completed `npm ci` has installed every package of the lock file. npm writes
 * `node_modules/.package-lock.json` as its last step. Packages for other machines may be missing.
 */
export function areInstalled(root) {
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
