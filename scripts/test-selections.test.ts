import { globSync } from 'node:fs';
import { expect } from 'chai';
import { filesOf, SELECTIONS, type Selection } from './test-selections.ts';

const filesIn = ({ unit, shared, alone }: Selection = {}) =>
  [unit, shared, alone].flatMap((part) => filesOf(part));

describe('the selections of tests', () => {
  it('`all` contains each test file of the repository once, except those of test/containers and test/cluster', () => {
    const files = globSync('**/*.test.ts', { exclude: (path) => path.includes('node_modules') });
    const all = filesIn(SELECTIONS['all']);
    expect(all).to.have.length(new Set(all).size);
    const others = files.filter((file) => !/^test\/(cluster|containers)\//.test(file));
    expect(others.filter((file) => !all.includes(file))).to.deep.equal([]);
  });

  it('`quick` and `rest` are `all`, and no file is in both', () => {
    const files = [...filesIn(SELECTIONS['quick']), ...filesIn(SELECTIONS['rest'])];
    expect(files.sort()).to.deep.equal(filesIn(SELECTIONS['all']).sort());
  });

  for (const [name, selection] of Object.entries(SELECTIONS))
    it(`\`${name}\` has a file for each of its patterns`, () => {
      for (const pattern of [selection.unit, selection.shared, selection.alone].flatMap((part) => part ?? []))
        expect(filesOf([pattern]), pattern).not.to.be.empty;
    });
});
