import { expect } from 'chai';
import type { CheckResult } from './check-result.ts';
import { AUDIT, type CheckedItem, checkLines, mayRelease, verdictLine } from './report.ts';

const item = (name: string, status: CheckResult['status']): CheckedItem => ({
  name,
  status,
  details: ['detail'],
  repair: 'Repair it.',
});
const [STRICT, LENIENT] = [{ noAudit: false }, { noAudit: true }];

describe('report of a release', () => {
  it('allows a release only if every check passed', () => {
    expect(mayRelease([item('a', 'ok'), item(AUDIT, 'ok')], STRICT)).to.equal(true);
    for (const status of ['failed', 'impossible', 'left out'] as const)
      expect(mayRelease([item('a', 'ok'), item('b', status)], LENIENT), status).to.equal(false);
  });
  it('accepts an impossible audit only on request, and never a failed one', () => {
    expect(mayRelease([item(AUDIT, 'impossible')], STRICT)).to.equal(false);
    expect(mayRelease([item(AUDIT, 'impossible')], LENIENT)).to.equal(true);
    expect(mayRelease([item(AUDIT, 'failed')], LENIENT)).to.equal(false);
  });
  it('prints one line for a passed check, and the repair of another', () => {
    expect(checkLines(item('a', 'ok'))).to.deep.equal(['ok: a (detail)']);
    expect(checkLines(item('a', 'failed'))).to.deep.equal([
      'FAILED: a',
      '  detail',
      '  To repair: Repair it.',
    ]);
    expect(checkLines(item('a', 'impossible'))[0]).to.equal('skipped (not possible here): a');
  });
  it('states what failed and what was skipped', () => {
    const verdict = (items: CheckedItem[], allowances = STRICT) => verdictLine('1.1.0', items, allowances);
    expect(verdict([item('a', 'ok')])).to.equal('Version 1.1.0 can be released: every check passed.');
    expect(verdict([item('a', 'failed'), item('tests', 'left out')])).to.equal(
      'Version 1.1.0 cannot be released. Failed: a. Skipped: tests.',
    );
    expect(verdict([item('tests', 'left out')])).to.equal(
      'Version 1.1.0 is not checked completely. Skipped: tests.',
    );
    expect(verdict([item(AUDIT, 'impossible')], LENIENT)).to.include('not possible here: audit');
  });
});
