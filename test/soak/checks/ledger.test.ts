import { expect } from 'chai';
import { Ledger } from './ledger.ts';

const time = (from: number, to = from + 5) => ({ service: 1, from, to, isExport: false });

describe('Ledger', () => {
  it('finds a 500, even during an outage, and a 503 without an outage', () => {
    let now = 1_000;
    const ledger = new Ledger(undefined, () => now);
    expect(ledger.record('page', time(1_000), '/a', undefined)).to.equal(true);
    expect(
      ledger.record('page', time(1_000), '/a', { kind: 'status', status: 503, retryAfter: '5' }),
    ).to.equal(false);
    const window = ledger.open('kill-elasticsearch', 0);
    now = 2_000;
    expect(
      ledger.record('page', time(1_500), '/b', { kind: 'status', status: 500, retryAfter: null }),
    ).to.equal(false);
    expect(
      ledger.record('page', time(1_500), '/c', { kind: 'status', status: 503, retryAfter: '5' }),
    ).to.equal(true);
    ledger.close(window);
    expect(ledger.byClass.page).to.include({ requests: 4, permitted: 1, failed: 2 });
    expect(ledger.permitted).to.deep.equal({ 'kill-elasticsearch': 1 });
    expect(ledger.serverErrors).to.equal(3);
    expect(ledger.timeline()).to.deep.equal([{ kind: 'kill-elasticsearch', target: 0, from: 0, to: 1 }]);
    expect(ledger.violations.map(({ what }) => what)).to.deep.equal([
      'page /a on query 1: status 503 (Retry-After: 5), after 5 ms',
      'page /b on query 1: status 500 (Retry-After: none), after 5 ms',
    ]);
  });

  it('counts all violations and keeps a bounded number', () => {
    const told: string[] = [];
    const ledger = new Ledger(
      ({ what }) => told.push(what),
      () => 0,
    );
    for (let i = 0; i < 1_000; i++) ledger.violate(`number ${i}`);
    expect(ledger.violationCount).to.equal(1_000);
    expect(ledger.violations).to.have.length(200);
    expect(told).to.deep.equal(ledger.violations.map(({ what }) => what));
  });

  it('is disturbed by recent faults of the given components only', () => {
    let now = 0;
    const ledger = new Ledger(undefined, () => now);
    const needed = ['kafka', 'elasticsearch', 'projector'] as const;
    for (const kind of ['kill-follower', 'suspend-query'] as const) ledger.close(ledger.open(kind, 1));
    expect(ledger.isDisturbed(60_000, needed)).to.equal(false);
    for (const kind of ['full-disk', 'slow-elasticsearch', 'freeze-kafka', 'third-projector'] as const) {
      const window = ledger.open(kind, 0);
      now += 600_000;
      expect(ledger.isDisturbed(60_000, needed), kind).to.equal(true);
      ledger.close(window);
      now += 59_000;
      expect(ledger.isDisturbed(60_000, needed), kind).to.equal(true);
      now += 2_000;
      expect(ledger.isDisturbed(60_000, needed), kind).to.equal(false);
    }
  });

  it('counts an exit that no fault permits as a violation', () => {
    const ledger = new Ledger(undefined, () => 1_000);
    ledger.open('kill-kafka', 0);
    const exit = (of: 'projector' | 'query') => ledger.recordExit({ of, number: 1, code: 1 }, `${of} ended`);
    expect(exit('projector')).to.equal('kill-kafka');
    expect(exit('query')).to.equal(undefined);
    expect(ledger.violations.map(({ what }) => what)).to.deep.equal(['query ended']);
  });
});
