import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';

const LARGEST_OUTPUT_BYTES = 64 * 1024 * 1024;
/** Flags of `git ls-files -v`: `S` is skip-worktree, and lower case is assume-unchanged. */
const HIDDEN = /^[a-zS] /;

const git = (root: string, ...args: string[]): string =>
  execFileSync('git', ['-C', root, ...args], {
    encoding: 'utf8',
    // With this locale, git writes its errors in English, like all other messages here.
    env: { ...process.env, LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: LARGEST_OUTPUT_BYTES,
  });
const linesOf = (text: string): string[] => text.split('\n').filter(Boolean);

/**
 * The differences between the working tree at `root` and its commit. Settings and flags that make git hide
 * differences do not affect the result.
 * @throws if `root` is not a git repository
 */
export function treeProblems(root: string): string[] {
  const top = git(root, 'rev-parse', '--show-toplevel').replace(/\n$/, '');
  if (realpathSync(top) !== realpathSync(root))
    return [`${root} is no repository itself, but a folder of the repository ${top}`];
  return [
    ...linesOf(git(root, 'status', '--porcelain', '--untracked-files=all', '--ignore-submodules=none')),
    ...linesOf(git(root, 'ls-files', '-v'))
      .filter((line) => HIDDEN.test(line))
      .map((line) => `git ignores changes of ${line.slice(2)} (assume-unchanged or skip-worktree)`),
  ];
}

/** States a problem if the tag `v<version>`, which marks a published release, is at another commit. */
export function tagProblems(root: string, version: string): string[] {
  const tag = `refs/tags/v${version}`;
  if (linesOf(git(root, 'for-each-ref', tag)).length === 0) return [];
  const tagged = git(root, 'rev-parse', `${tag}^{commit}`).trim();
  if (tagged === git(root, 'rev-parse', 'HEAD').trim()) return [];
  return [`the tag v${version} exists at another commit: ${tagged.slice(0, 10)}`];
}
