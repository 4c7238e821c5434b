import { expect } from 'chai';
import { readOutput, renderTotals } from './row-result.ts';

const PASSED = '✔ a: 2 passed in 1 s\n# measured: one line\n\nin 3 s\n2 passed, 0 failed, 1 skipped\n';

describe('the result of a row', () => {
  it('has the counts of the last line and the measured lines', () => {
    expect(readOutput(PASSED, 0)).to.deep.equal({
      passed: 2,
      failed: 0,
      skipped: 1,
      measured: ['one line'],
      failures: '',
    });
  });

  it('has the failures without the counts', () => {
    const output = '✘ a\n\n── failures\n\n1) a › b\n   error\n\nin 3 s\n0 passed, 1 failed, 0 skipped\n';
    expect(readOutput(output, 1)).to.include({
      failed: 1,
      failures: '\n── failures\n\n1) a › b\n   error\n',
    });
  });

  it('is a failure if the run crashed or ran no test', () => {
    expect(readOutput('Error: no\n', null)).to.include({ passed: 0, failed: 1 });
    expect(readOutput('Error: no\n', null).failures).to.include('Error: no');
    expect(readOutput('in 0 s\n0 passed, 0 failed, 0 skipped\n', 1)).to.include({ failed: 1 });
  });

  it('adds up to the last line of the matrix', () => {
    const row = { title: '', key: {}, seconds: 1, ...readOutput(PASSED, 0) };
    expect(renderTotals([row, { ...row, failed: 3 }])).to.equal('4 passed, 3 failed, 2 skipped');
  });
});
