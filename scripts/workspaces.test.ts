import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';

interface Manifest {
  name: string;
  license?: string;
  exports?: unknown;
  workspaces?: string[];
  dependencies?: Record<string, string>;
}

const ROOT = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const manifestOf = (folder: string) => JSON.parse(read(join(folder, 'package.json'))) as Manifest;

const folders = globSync(
  (manifestOf('.').workspaces ?? []).map((workspace) => join(workspace, 'package.json')),
  { cwd: ROOT },
).map(dirname);
const names = new Set(folders.map((folder) => manifestOf(folder).name));

/** The workspaces that a workspace's files import, in alphabetical order. */
function importedBy(folder: string): string[] {
  const files = globSync(`${folder}/**/*.{ts,mjs}`, {
    cwd: ROOT,
    exclude: (name) => name.includes('node_modules'),
  });
  const imported = files
    .flatMap((file) => ts.preProcessFile(read(file)).importedFiles)
    .map(({ fileName }) => fileName.split('/').slice(0, 2).join('/'));
  return [...new Set(imported)].filter((name) => names.has(name)).toSorted();
}

describe('package.json of a workspace', () => {
  it('every workspace is checked', () => expect(folders).to.include.members(['demo', 'packages/runtime']));

  it('is beside a README', () =>
    expect(folders.filter((folder) => !existsSync(join(ROOT, folder, 'README.md')))).to.deep.equal([]));

  // npm links all workspaces at the root, so an import works even if no package.json declares it.
  for (const folder of folders)
    it(`${folder} declares exactly the workspaces that it imports`, () => {
      const declared = Object.keys(manifestOf(folder).dependencies ?? {}).filter((name) => names.has(name));
      expect(declared.toSorted()).to.deep.equal(importedBy(folder));
    });

  for (const folder of ['.', ...folders])
    it(`${folder} states the license of LICENSE`, () =>
      expect(manifestOf(folder).license).to.equal('Apache-2.0'));

  it('LICENSE is the whole license', () =>
    expect(read('LICENSE')).to.match(
      /1\. Definitions\..*9\. Accepting Warranty.*END OF TERMS AND CONDITIONS/s,
    ));

  for (const folder of ['packages/listing', 'packages/projection', 'packages/engines'])
    it(`${folder}, which others can use, has a README and exports`, () => {
      expect(read(join(folder, 'README.md'))).to.include('```');
      expect(manifestOf(folder).exports).not.to.equal(undefined);
    });
});
