import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { tagProblems, treeProblems } from './repository.ts';

describe('repository of a release', () => {
  let folder: string;
  const write = (path: string, text: string): void => writeFileSync(join(folder, path), text);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'vitrine release '));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
      stdio: 'ignore',
    });
  const commitFile = () => {
    git('init');
    write('a.txt', 'a');
    git('add', '.');
    git('commit', '-m', 'a');
  };

  describe('working tree', () => {
    beforeEach(commitFile);

    it('passes if it equals its commit', () => expect(treeProblems(folder)).to.deep.equal([]));
    it('fails with a changed file', () => {
      write('a.txt', 'b');
      expect(treeProblems(folder)).to.deep.equal([' M a.txt']);
    });
    it('fails with a new file, even if the settings of git hide it', () => {
      git('config', 'status.showUntrackedFiles', 'no');
      mkdirSync(join(folder, 'b'));
      write('b/new.txt', '');
      expect(treeProblems(folder)).to.deep.equal(['?? b/new.txt']);
    });
    for (const flag of ['assume-unchanged', 'skip-worktree'])
      it(`fails with a file whose changes git ignores because of ${flag}`, () => {
        git('update-index', `--${flag}`, 'a.txt');
        write('a.txt', 'b');
        expect(treeProblems(folder)[0]).to.include('git ignores changes of a.txt');
      });
    it('fails in a folder of another repository', () => {
      const inner = join(folder, 'inner');
      mkdirSync(inner);
      expect(treeProblems(inner)[0]).to.include('is no repository itself');
    });
    it('passes if the path of the repository is a link', () => {
      const link = `${folder} link`;
      symlinkSync(folder, link);
      try {
        expect(treeProblems(link)).to.deep.equal([]);
      } finally {
        rmSync(link);
      }
    });
    it('fails outside a git repository', () => {
      rmSync(join(folder, '.git'), { recursive: true });
      expect(() => treeProblems(folder)).to.throw('not a git repository');
    });
  });

  it('fails if the version is already published from another commit', () => {
    commitFile();
    expect(tagProblems(folder, '1.2.0')).to.deep.equal([]);
    git('tag', '-a', 'v1.2.0', '-m', 'Version 1.2.0');
    expect(tagProblems(folder, '1.2.0')).to.deep.equal([]);
    git('commit', '--allow-empty', '-m', 'b');
    expect(tagProblems(folder, '1.2.0')[0]).to.match(
      /the tag v1\.2\.0 exists at another commit: [0-9a-f]{10}$/,
    );
    expect(tagProblems(folder, '1.2')).to.deep.equal([]);
  });
});
