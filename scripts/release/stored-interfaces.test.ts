import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Interfaces } from '../interfaces/compare-releases.ts';
import { RELEASES, storeInterfaces } from './stored-interfaces.ts';

describe('stored interfaces', () => {
  let root: string;
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
      stdio: 'ignore',
    });
  const interfaces = (name: string): Interfaces => ({ 'openapi.json': { name } });
  const stored = (version: string): unknown =>
    JSON.parse(readFileSync(join(root, RELEASES, version, 'openapi.json'), 'utf8'));

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'vitrine interfaces '));
    git('init');
    storeInterfaces(root, '1.2.0', interfaces('old'));
    git('add', '.');
    git('commit', '-m', 'a');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('change until the version has a tag', () => {
    git('tag', 'v1.1.0');
    storeInterfaces(root, '1.2.0', interfaces('new'));
    expect(stored('1.2.0')).to.deep.equal({ name: 'new' });
  });

  it('do not change after that, and the message says what to do', () => {
    git('tag', '-a', 'v1.2.0', '-m', 'Version 1.2.0');
    expect(() => storeInterfaces(root, '1.2.0', interfaces('new'))).to.throw(
      /tag v1\.2\.0 exists.*Raise the version first: docs\/operate\/releasing\.md/,
    );
    expect(() => storeInterfaces(root, '1.2.0', { ...interfaces('old'), 'new.json': {} })).to.throw();
    expect(stored('1.2.0')).to.deep.equal({ name: 'old' });
  });

  it('may be stored again without a change, and under the next version', () => {
    git('tag', 'v1.2.0');
    storeInterfaces(root, '1.2.0', interfaces('old'));
    storeInterfaces(root, '1.3.0', interfaces('new'));
    expect(stored('1.3.0')).to.deep.equal({ name: 'new' });
  });
});
