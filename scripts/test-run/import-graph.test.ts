import { expect } from 'chai';
import { affectedTests, importsOf, readEntries } from './import-graph.ts';

describe('the import graph of the unit tests', () => {
  it('resolves relative imports and imports of workspaces, and omits other packages', () => {
    const text =
      "import { a } from '../a.ts';\nimport type { B } from '@vitrine/b';\nimport kafka from " +
      "'kafkajs';\nexport * from './c.ts';\n";
    const entries = new Map([['@vitrine/b', 'packages/b/src/index.ts']]);
    expect(importsOf('services/s/src/d/e.ts', text, entries)).to.deep.equal([
      'services/s/src/a.ts',
      'packages/b/src/index.ts',
      'services/s/src/d/c.ts',
    ]);
  });

  it('finds the entry of each workspace of this repository', () => {
    expect(readEntries().get('@vitrine/engines')).to.equal('packages/engines/src/index.ts');
  });

  it('finds the tests in the workspace of a file that depend on the file, the nearest test first', () => {
    const graph = new Map([
      ['services/s/src/far.test.ts', ['services/s/src/middle.ts']],
      ['services/s/src/middle.ts', ['services/s/src/near.ts']],
      ['services/s/src/near.test.ts', ['services/s/src/near.ts']],
      ['services/s/src/other.test.ts', ['services/s/src/other.ts']],
      ['demo/src/user.test.ts', ['services/s/src/near.ts']],
    ]);
    const tests = new Set([...graph.keys()].filter((path) => path.endsWith('.test.ts')));
    const affected = (path: string) => affectedTests([path], graph, tests);
    expect(affected('services/s/src/near.ts')).to.deep.equal([
      'services/s/src/near.test.ts',
      'services/s/src/far.test.ts',
    ]);
    expect(affected('services/s/src/far.test.ts')).to.deep.equal(['services/s/src/far.test.ts']);
    expect(affected('services/s/src/unused.ts')).to.deep.equal([]);
  });

  it('handles files that import each other', () => {
    const graph = new Map([
      ['a/x.ts', ['a/y.ts']],
      ['a/y.ts', ['a/x.ts']],
      ['a/x.test.ts', ['a/x.ts']],
    ]);
    expect(affectedTests(['a/y.ts'], graph, new Set(['a/x.test.ts']))).to.deep.equal(['a/x.test.ts']);
  });
});
