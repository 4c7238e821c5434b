import { expect } from 'chai';
import { renderEnd, renderFile, type TestResult } from './test-report.ts';

const result = (
  title: string,
  outcome: TestResult['outcome'],
  more: Partial<TestResult> = {},
): TestResult => ({
  file: 'test/e2e/a.test.ts',
  titles: ['the feed', title],
  outcome,
  ms: 1,
  ...more,
});
const RESULTS = [
  result('is served', 'passed', { ms: 6_200 }),
  result("doesn't change", 'failed', { text: 'Error: it did\n    at a.ts' }),
  result('is signed', 'skipped'),
];

describe('the report of a test run', () => {
  it('shows a file with its counts and titles', () => {
    expect(renderFile(RESULTS, true)).to.equal(
      '✘ test/e2e/a.test.ts: 1 passed, 1 FAILED, 1 skipped\n' +
        "  the feed\n    ✔ is served (6 s)\n    ✘ doesn't change\n    - is signed\n",
    );
  });

  it('shows a file of unit tests without the titles of tests that passed', () => {
    expect(renderFile(RESULTS.slice(0, 1), false)).to.equal('✔ test/e2e/a.test.ts: 1 passed\n');
  });

  it('ends with the failures, the commands that repeat them, and the counts', () => {
    expect(renderEnd(RESULTS)).to.equal(
      '\n── skipped\n- test/e2e/a.test.ts: the feed › is signed\n' +
        "\n── failures\n\ntest/e2e/a.test.ts: the feed › doesn't change\n   Error: it did\n       at a.ts\n" +
        "   again: npm run test:file -- test/e2e/a.test.ts -f 'the feed doesn'\\''t change'\n" +
        '\n1 passed, 1 failed, 1 skipped\n',
    );
  });

  it('repeats the whole suite of a hook that failed', () => {
    const hook = result('"before all" hook for "is served"', 'failed');
    expect(renderEnd([hook])).to.include("-f 'the feed'\n");
  });
});
