import { globSync } from 'node:fs';
import { expect } from 'chai';
import { filesOf, unknownNames } from './suites.ts';

describe('the suites', () => {
  const all = (['unit', 'e2e', 'faults', 'containers'] as const).flatMap((suite) =>
    filesOf(suite).map(({ path }) => path),
  );

  it('contain every test file of the repository exactly once', () => {
    const files = globSync('**/*.test.ts', { exclude: (path) => path.includes('node_modules') });
    expect([...all].sort()).to.deep.equal([...files].sort());
  });

  it('name only existing files', () => {
    expect(unknownNames()).to.deep.equal([]);
  });

  it('run each file in `npm test` or in `npm run test:rest`', () => {
    const faults = filesOf('faults');
    expect(faults.filter(({ core }) => core).length).to.be.within(1, faults.length - 1);
    expect([...filesOf('unit'), ...filesOf('e2e')].filter(({ core }) => !core)).to.deep.equal([]);
  });
});
