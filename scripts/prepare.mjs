// Runs with any Node that the machine has: brings in the packages that every command needs.
import { spawnSync } from 'node:child_process';
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

const isStamped = existsSync(stamp) && readFileSync(stamp, 'utf8') === lock;
if (!isStamped || ensureRuntime(root) !== undefined) {
  console.error('Installing packages (once per clone and lock file) …');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  // NODE_ENV=production and npm's own settings must not leave out packages that the commands need.
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, error } = spawnSync(npm, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    console.error(`npm ci failed${error ? `: ${error.message}` : ''}. Its output is above.`);
    process.exit(1);
  }
  const problem = ensureRuntime(root);
  if (problem !== undefined) {
    console.error(problem);
    process.exit(1);
  }
  writeFileSync(stamp, lock);
}
