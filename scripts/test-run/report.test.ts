import { expect } from 'chai';
import { duration, renderCounts, renderFailures, renderFile, rerunCommand } from './report.ts';
import type { TestResult } from './test-result.ts';

const result = (outcome: TestResult['outcome'], ...titles: string[]): TestResult => ({
  file: 'test/e2e/a.test.ts',
  titles,
  outcome,
  ms: 7_000,
});

describe('the report of a test run', () => {
  it('shows a file with its counts, its suites once, and the time of slow tests', () => {
    const results = [
      result('passed', 'feed', 'paging', 'one'),
      result('skipped', 'feed', 'paging', 'two'),
      result('failed', 'feed', 'three'),
    ];
    expect(renderFile('e2e', 'test/e2e/a.test.ts', results, 75)).to.equal(
      [
        '✘ test/e2e/a.test.ts: 1 passed, 1 FAILED, 1 skipped in 1 min 15 s',
        '  feed',
        '    paging',
        '      ✔ one (7 s)',
        '      - two (7 s)',
        '    ✘ three (7 s)',
        '',
      ].join('\n'),
    );
  });

  it('shows no titles of unit tests that passed', () => {
    expect(renderFile('unit', 'a.test.ts', [result('passed', 'a', 'b')], 1)).to.equal(
      '✔ a.test.ts: 1 passed in 1 s\n',
    );
  });

  it('lists failures with place, error and the command that repeats them', () => {
    const failed: TestResult = {
      ...result('failed', 'feed', 'it works'),
      text: 'AssertionError: no\n    at x',
      line: 12,
    };
    const text = renderFailures(
      [result('passed', 'feed', 'other'), failed],
      [{ what: 'A check failed.', text: 'types\n', again: 'npm run check' }],
    );
    expect(text).to.include('1) A check failed.\n   types\n   again: npm run check\n');
    expect(text).to.include(
      '2) feed › it works\n   test/e2e/a.test.ts:12\n   AssertionError: no\n       at x\n   again: npm ' +
        "run test:file -- test/e2e/a.test.ts -f 'feed it works'\n",
    );
    expect(text).not.to.include('other');
    expect(renderFailures([result('passed', 'feed', 'other')], [])).to.equal('');
  });

  it('quotes a title for the shell, and repeats a whole suite after a hook fails', () => {
    expect(rerunCommand('a.test.ts', ["the operator's", 'line'])).to.equal(
      "npm run test:file -- a.test.ts -f 'the operator'\\''s line'",
    );
    expect(rerunCommand('a.test.ts', ['feed', '"before all" hook for "x"'])).to.equal(
      "npm run test:file -- a.test.ts -f 'feed'",
    );
    expect(rerunCommand('a.test.ts', ['"after all" hook'])).to.equal('npm run test:file -- a.test.ts');
  });

  it('counts a problem outside of a test as a failure', () => {
    expect(renderCounts([result('passed', 'a'), result('failed', 'b'), result('skipped', 'c')], [])).to.equal(
      '1 passed, 1 failed, 1 skipped',
    );
    expect(renderCounts([], [{ what: '', text: '', again: '' }])).to.equal('0 passed, 1 failed, 0 skipped');
  });

  it('shows durations in seconds and minutes', () => {
    expect([59.4, 60, 432].map(duration)).to.deep.equal(['59 s', '1 min 0 s', '7 min 12 s']);
  });
});
