import { expect } from 'chai';
import { differencesOf, failedReconciliation, type ReconciliationRecord } from './reconciliation-record.ts';

const RECORD: ReconciliationRecord = {
  at: '2026-11-02T04:30:00Z',
  as_of: '2026-11-02T04:00:00Z',
  source: 10,
  equal: 4,
  missing: 3,
  extra: 2,
  different: 1,
  changed: 2,
};

describe('the record of reconcile', () => {
  it('keeps the last complete run after a failure, whose message is short and well-formed', () => {
    const at = '2026-11-03T04:30:00Z';
    const failed = failedReconciliation(RECORD, at, new Error(`${'x'.repeat(492)}\u{1F600}`));
    expect(failed).to.deep.include({ ...RECORD });
    expect(failed?.failed?.at).to.equal(at);
    expect(failed?.failed?.error)
      .to.have.length(500)
      .and.to.satisfy((text: string) => text.isWellFormed());
  });

  it('records no failure before the first complete run', () =>
    expect(failedReconciliation(undefined, RECORD.at, 'no answer')).to.equal(undefined));

  it('counts a changed listing as no difference', () =>
    expect(differencesOf(RECORD)).to.deep.equal({ missing: 3, extra: 2, different: 1 }));
});
