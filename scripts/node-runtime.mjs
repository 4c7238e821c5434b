// This file runs with any Node. It finds the Node that runs the commands.
import { spawnSync } from 'node:child_process';
import { readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/** The version in package.json's `>=24.18` as numbers: [24, 18]. */
function oldestVersion(root) {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return engines.node.replace('>=', '').split('.').map(Number);
}

/** Whether a version such as v24.21.0 is at least the oldest one, given as [major, minor]. */
export function isRecentEnough(version, [major, minor]) {
  const [, foundMajor, foundMinor] = /^v(\d+)\.(\d+)\./.exec(version) ?? [];
  return Number(foundMajor) > major || (Number(foundMajor) === major && Number(foundMinor) >= minor);
}

/** Whether both paths lead to the same file. If so, this process itself proves that the runtime works. */
function isSameFile(one, other) {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}

/**
 * Makes sure that node_modules/.bin/node runs. The lock file pins it for the usual platforms. On any other
 * platform, the machine's own Node replaces it if that Node is recent enough.
 * @returns undefined, or one sentence that names the remedy
 */
export function ensureRuntime(root) {
  const oldest = oldestVersion(root);
  const runtime = join(root, 'node_modules', '.bin', 'node');
  if (isSameFile(process.execPath, runtime)) return undefined;
  const { stdout } = spawnSync(runtime, ['--version'], { encoding: 'utf8' });
  if (isRecentEnough(stdout ?? '', oldest)) return undefined;
  // npm puts this folder first on the PATH, so a broken runtime would also break the next call of this
  // script.
  rmSync(runtime, { force: true });
  if (isRecentEnough(process.version, oldest)) {
    symlinkSync(process.execPath, runtime);
    return undefined;
  }
  const wanted = oldest.join('.');
  return (
    `The packages contain no Node that runs on this machine (${process.platform} ${process.arch}), ` +
    `and Node ${process.versions.node} is too old. Install Node ${wanted} or newer, and repeat the command.`
  );
}
