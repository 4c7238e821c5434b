import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckResult, resultOf } from './check-result.ts';

const SHOWN = 10;
const LARGEST_OUTPUT_BYTES = 64 * 1024 * 1024;
/** Flags of `git ls-files -v`: `S` is skip-worktree, and lower case is assume-unchanged. */
const HIDDEN = /^[a-zS] /;

const git = (root: string, ...args: string[]): string =>
  execFileSync('git', ['-C', root, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: LARGEST_OUTPUT_BYTES,
  });
const linesOf = (text: string): string[] => text.split('\n').filter(Boolean);

/**
 * Fails if the working tree at `root` differs from its commit, or is not a whole git repository. The settings
 * and flags with which git hides differences do not matter.
 */
export function checkWorkingTree(root: string): CheckResult {
  try {
    const top = git(root, 'rev-parse', '--show-toplevel').replace(/\n$/, '');
    if (realpathSync(top) !== realpathSync(root))
      return resultOf([`${root} is no repository itself, but a folder of the repository ${top}`], '');
    const changed = [
      ...linesOf(git(root, 'status', '--porcelain', '--untracked-files=all', '--ignore-submodules=none')),
      ...linesOf(git(root, 'ls-files', '-v'))
        .filter((line) => HIDDEN.test(line))
        .map((line) => `git ignores changes of ${line.slice(2)} (assume-unchanged or skip-worktree)`),
    ];
    const more = changed.length > SHOWN ? [`and ${changed.length - SHOWN} more files`] : [];
    return resultOf(
      [...changed.slice(0, SHOWN), ...more],
      `commit ${git(root, 'rev-parse', '--short', 'HEAD').trim()}`,
    );
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    return resultOf([stderr?.trim().split('\n')[0] || `git does not run: ${String(error)}`], '');
  }
}

/**
 * The commit of the tag `v<version>`, which marks a published release, or `undefined` without the tag. A
 * folder that is no git repository, such as an unpacked archive, has no tags.
 * @throws if git cannot read the repository
 */
export function taggedCommit(root: string, version: string): string | undefined {
  if (!existsSync(join(root, '.git'))) return;
  try {
    return git(root, 'rev-parse', '--verify', '--quiet', `refs/tags/v${version}^{commit}`).trim();
  } catch (error) {
    // With --quiet, git states a missing tag only in its exit code.
    if ((error as { status?: number }).status === 1) return;
    throw error;
  }
}

/** Fails if the version is already published from another commit. */
export function checkTag(root: string, version: string): CheckResult {
  const tagged = taggedCommit(root, version);
  const published = tagged !== undefined && tagged !== git(root, 'rev-parse', 'HEAD').trim();
  return resultOf(
    published ? [`the tag v${version} exists at another commit: ${tagged.slice(0, 10)}`] : [],
    tagged === undefined ? `no tag v${version} yet` : `the tag v${version} is at this commit`,
  );
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
