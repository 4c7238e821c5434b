import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckResult, resultOf } from './check-result.ts';

const SHOWN = 10;

/** Fails if the working tree at `root` differs from its commit, or is not a git repository. */
export function checkWorkingTree(root: string): CheckResult {
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', root, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    const changed = git('status', '--porcelain').split('\n').filter(Boolean);
    const more = changed.length > SHOWN ? [`and ${changed.length - SHOWN} more files`] : [];
    const commit = changed.length === 0 ? git('rev-parse', '--short', 'HEAD').trim() : '';
    return resultOf([...changed.slice(0, SHOWN), ...more], `commit ${commit}`);
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    return resultOf([stderr?.trim().split('\n')[0] || `git does not run: ${String(error)}`], '');
  }
}

/** Fails if one of these packages has no README or no `exports`. */
export function checkPublicPackages(root: string, folders: readonly string[]): CheckResult {
  const problems = folders.flatMap((folder) => {
    const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
      exports?: unknown;
    };
    return [
      ...(existsSync(join(root, folder, 'README.md')) ? [] : [`${folder} has no README.md`]),
      ...(manifest.exports === undefined ? [`${folder}/package.json has no exports`] : []),
    ];
  });
  return resultOf(problems, folders.join(', '));
}

/** The license texts and fields: Apache-2.0 in LICENSE and in every `package.json`. */
export function checkLicenseFields(root: string, manifests: readonly string[]): CheckResult {
  const text = readFileSync(join(root, 'LICENSE'), 'utf8');
  const problems = manifests
    .filter((path) => {
      const { license } = JSON.parse(readFileSync(join(root, path), 'utf8')) as { license?: string };
      return license !== 'Apache-2.0';
    })
    .map((path) => `${path} does not state the license Apache-2.0`);
  for (const part of ['1. Definitions.', '9. Accepting Warranty', 'END OF TERMS AND CONDITIONS'])
    if (!text.includes(part)) problems.push(`LICENSE lacks "${part}"`);
  return resultOf(problems, 'Apache-2.0');
}
