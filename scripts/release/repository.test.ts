import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { fileChecks } from './checks.ts';
import {
  checkLicenseFields,
  checkPublicPackages,
  checkTag,
  checkWorkingTree,
  taggedCommit,
} from './repository.ts';

const ROOT = join(import.meta.dirname, '../..');

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

    it('passes if it equals its commit', () => {
      const { status, details } = checkWorkingTree(folder);
      expect(status).to.equal('ok');
      expect(details[0]).to.match(/^commit [0-9a-f]{7}/);
    });
    it('fails with a changed file', () => {
      write('a.txt', 'b');
      expect(checkWorkingTree(folder)).to.deep.equal({ status: 'failed', details: [' M a.txt'] });
    });
    it('fails with a new file, and names at most ten', () => {
      for (let count = 0; count < 12; count++) write(`new ${count}.txt`, '');
      const { status, details } = checkWorkingTree(folder);
      expect(status).to.equal('failed');
      expect(details).to.have.lengthOf(11);
      expect(details.at(-1)).to.equal('and 2 more files');
    });
    it('fails with a new file, also if the settings of git hide it', () => {
      git('config', 'status.showUntrackedFiles', 'no');
      mkdirSync(join(folder, 'b'));
      write('b/new.txt', '');
      expect(checkWorkingTree(folder)).to.deep.equal({ status: 'failed', details: ['?? b/new.txt'] });
    });
    for (const flag of ['assume-unchanged', 'skip-worktree'])
      it(`fails with a file whose changes git ignores because of ${flag}`, () => {
        git('update-index', `--${flag}`, 'a.txt');
        write('a.txt', 'b');
        const { status, details } = checkWorkingTree(folder);
        expect(status).to.equal('failed');
        expect(details[0]).to.include('git ignores changes of a.txt');
      });
    it('fails in a folder of another repository', () => {
      const inner = join(folder, 'inner');
      mkdirSync(inner);
      const { status, details } = checkWorkingTree(inner);
      expect(status).to.equal('failed');
      expect(details[0]).to.include('is no repository itself');
    });
    it('passes if the path of the repository is a link', () => {
      const link = `${folder} link`;
      symlinkSync(folder, link);
      try {
        expect(checkWorkingTree(link).status).to.equal('ok');
      } finally {
        rmSync(link);
      }
    });
    it('fails outside a git repository', () => {
      rmSync(join(folder, '.git'), { recursive: true });
      expect(checkWorkingTree(folder).status).to.equal('failed');
    });
  });

  describe('tag', () => {
    it('fails if the version is already published from another commit', () => {
      commitFile();
      expect(checkTag(folder, '1.2.0')).to.deep.equal({ status: 'ok', details: ['no tag v1.2.0 yet'] });
      git('tag', '-a', 'v1.2.0', '-m', 'Version 1.2.0');
      expect(checkTag(folder, '1.2.0').status).to.equal('ok');
      git('commit', '--allow-empty', '-m', 'b');
      const { status, details } = checkTag(folder, '1.2.0');
      expect(status).to.equal('failed');
      expect(details[0]).to.match(/the tag v1\.2\.0 exists at another commit: [0-9a-f]{10}$/);
      expect(checkTag(folder, '1.2').status).to.equal('ok');
      const versions = fileChecks(folder, '1.2.0').find(({ name }) => name === 'versions');
      expect(versions?.run()).to.deep.equal({ status, details });
    });
    it('is no tag of the repository around the folder', () => {
      commitFile();
      git('tag', 'v1.2.0');
      expect(taggedCommit(folder, '1.2.0')).to.match(/^[0-9a-f]{40}$/);
      const inner = join(folder, 'inner');
      mkdirSync(inner);
      expect(taggedCommit(inner, '1.2.0')).to.equal(undefined);
    });
    it('cannot be read from a damaged repository', () => {
      write('.git', 'gitdir: /nowhere');
      expect(() => taggedCommit(folder, '1.2.0')).to.throw('not a git repository');
    });
  });

  it('has public packages with README and exports', () => {
    mkdirSync(join(folder, 'a'));
    write('a/package.json', '{}');
    expect(checkPublicPackages(folder, ['a'])).to.deep.equal({
      status: 'failed',
      details: ['a has no README.md', 'a/package.json has no exports'],
    });
    write('a/README.md', '# a');
    write('a/package.json', '{ "exports": "./index.ts" }');
    expect(checkPublicPackages(folder, ['a']).status).to.equal('ok');
  });

  it('has the whole license, and every manifest states it', () => {
    write('LICENSE', 'Apache License');
    write('package.json', '{}');
    expect(checkLicenseFields(folder, ['package.json']).details).to.have.lengthOf(4);
    expect(checkLicenseFields(ROOT, ['package.json', 'packages/listing/package.json']).status).to.equal('ok');
  });
});
