import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkLicenseFields, checkPublicPackages, checkWorkingTree } from './repository.ts';

const ROOT = join(import.meta.dirname, '../..');

describe('repository of a release', () => {
  let folder: string;
  const write = (path: string, text: string): void => writeFileSync(join(folder, path), text);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'vitrine release '));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  describe('working tree', () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
        stdio: 'ignore',
      });
    beforeEach(() => {
      git('init');
      write('a.txt', 'a');
      git('add', '.');
      git('commit', '-m', 'a');
    });

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
    it('fails outside a git repository', () => {
      rmSync(join(folder, '.git'), { recursive: true });
      expect(checkWorkingTree(folder).status).to.equal('failed');
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
