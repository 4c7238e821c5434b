import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { ALLOWED, bundled, closure, FILE, type Lock, licencesPage, readLock, shipped } from './licences.ts';

describe('licences', () => {
  const packages = shipped(readLock());
  const inPages = bundled(readLock());

  it('docs/reference/licences.md is what `npm run licences` generates', () =>
    expect(readFileSync(FILE, 'utf8')).to.equal(licencesPage(packages, inPages)));

  it('every shipped package has an allowed license', () =>
    expect([...packages, ...inPages].filter(({ license }) => !ALLOWED.has(license))).to.deep.equal([]));

  it('lists the packages that the scripts of the pages contain', () =>
    expect(inPages.map(({ name }) => name)).to.have.members(['preact', 'minisearch']));

  it("lists each image's packages, and no development packages", () => {
    const of = (target: string) =>
      packages.filter(({ targets }) => targets.includes(target)).map(({ name }) => name);
    expect(of('query'))
      .to.include.members(['koa', '@elastic/elasticsearch', 'pino'])
      .and.not.include('commander');
    expect(of('projector')).to.include('kafkajs').and.not.include('commander').and.not.include('koa');
    expect(of('ingest')).to.include.members(['kafkajs', 'protobufjs', 'undici']).and.not.include('avsc');
    expect(of('cli')).to.include.members(['kafkajs', 'commander']).and.not.include('koa');
    for (const name of ['mocha', 'typescript', 'testcontainers', 'node'])
      expect(packages.map((one) => one.name)).not.to.include(name);
  });

  it('resolves dependencies like Node', () => {
    const lock: Lock = {
      'services/a': { dependencies: { b: '1', '@own/c': '1' } },
      'node_modules/b': { version: '1', dependencies: { d: '2' }, optionalDependencies: { gone: '1' } },
      'node_modules/b/node_modules/d': { version: '2', dependencies: { e: '1' } },
      'node_modules/d': { version: '1' },
      'node_modules/e': { version: '1', dependencies: { b: '1' } },
      'node_modules/@own/c': { link: true, resolved: 'packages/c' },
      'packages/c': { dependencies: { f: '1' } },
      'node_modules/f': { version: '1' },
    };
    expect(closure(lock, ['services/a'])).to.deep.equal([
      'node_modules/b',
      'node_modules/b/node_modules/d',
      'node_modules/e',
      'node_modules/f',
    ]);
    expect(() => closure({ 'services/a': { dependencies: { b: '1' } } }, ['services/a'])).to.throw(
      'services/a needs b',
    );
  });
});
