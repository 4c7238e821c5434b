import { expect } from 'chai';
import { DeadLetterCollector } from './dead-letter-collector.ts';
import type { Mark, StoredDeadLetter } from './stored-dead-letter.ts';

describe('LetterCollector', () => {
  const deadLetter = (n: number, changes: Partial<StoredDeadLetter> = {}): StoredDeadLetter => ({
    kind: 'dead-letter',
    ref: `0:${n}`,
    key: 'a',
    reason: 'schema',
    detail: '',
    time: new Date(n * 1_000).toISOString(),
    origin: { topic: 't', partition: 0, offset: String(n) },
    bytes: 1,
    record: { key: null, value: null },
    ...changes,
  });
  const mark = (n: number): Mark => ({ kind: 'mark', ref: `0:${n}`, origin: deadLetter(n).origin });
  const refs = (collector: DeadLetterCollector) => collector.list().newest.map(({ ref }) => ref);

  it('counts only the newest dead letter of a record, and hides retried dead letters', () => {
    const collector = new DeadLetterCollector({ limit: 10, all: false });
    for (const entry of [
      deadLetter(1),
      deadLetter(2),
      deadLetter(3, { origin: deadLetter(1).origin, reason: 'not-json' }),
      deadLetter(4),
      mark(2),
    ])
      collector.add(entry);
    expect(refs(collector)).to.deep.equal(['0:4', '0:3']);
    expect(collector.list()).to.include({ total: 2, retried: 1 });
    expect(collector.list().byReason).to.deep.equal({ schema: 1, 'not-json': 1 });
    const all = new DeadLetterCollector({ limit: 10, all: true });
    for (const entry of [deadLetter(2), mark(2), deadLetter(1)]) all.add(entry);
    expect(all.list()).to.include({ total: 2, retried: 1 });
    expect(all.list().newest.map(({ ref, retried }) => [ref, retried])).to.deep.equal([
      ['0:2', true],
      ['0:1', false],
    ]);
  });

  it('distinguishes records of a recreated topic from older records at the same positions', () => {
    const other = deadLetter(3, {
      origin: deadLetter(1).origin,
      record: { key: null, value: Buffer.from('other') },
    });
    const collector = new DeadLetterCollector({ limit: 10, all: false });
    for (const entry of [deadLetter(1), mark(1), other]) collector.add(entry);
    expect(refs(collector)).to.deep.equal(['0:3']);
    expect(collector.list()).to.include({ total: 1, retried: 1 });
    collector.add(mark(3));
    expect(collector.list()).to.include({ total: 0, retried: 2 });
  });

  it('hides a dead letter that a replay wrote for a retried record', () => {
    const collector = new DeadLetterCollector({ limit: 10, all: false });
    for (const entry of [deadLetter(1), mark(1), deadLetter(3, { origin: deadLetter(1).origin })])
      collector.add(entry);
    expect(collector.list()).to.include({ total: 0, retried: 1 });
  });

  it('ignores a mark if retention has deleted its dead letter', () => {
    const collector = new DeadLetterCollector({ limit: 10, all: false });
    for (const entry of [{ ...mark(1), ref: '0:0' }, deadLetter(1)]) collector.add(entry);
    expect(collector.list()).to.include({ total: 1, retried: 0 });
  });

  it('filters by reason and key', () => {
    const entries = [
      deadLetter(1, { key: 'b' }),
      deadLetter(2, { reason: 'not-json' }),
      deadLetter(3),
      deadLetter(4, { key: null }),
    ];
    const collected = (filter: { reason?: string; key?: string }) => {
      const collector = new DeadLetterCollector({ ...filter, limit: 10, all: false });
      for (const entry of entries) collector.add(entry);
      return refs(collector);
    };
    expect(collected({ key: 'a' })).to.deep.equal(['0:3', '0:2']);
    expect(collected({ reason: 'not-json' })).to.deep.equal(['0:2']);
    expect(collected({ reason: 'not-json', key: 'b' })).to.deep.equal([]);
  });

  it('stores only the newest dead letters completely, and reports whether a second scan is necessary', () => {
    const entries = Array.from({ length: 1_000 }, (_, n) => deadLetter(n));
    const collector = new DeadLetterCollector({ limit: 3, all: false });
    for (const entry of entries) collector.add(entry);
    expect(refs(collector)).to.deep.equal(['0:999', '0:998', '0:997']);
    expect(collector.list().total).to.equal(1_000);
    expect(collector.isShort).to.equal(false);
    for (let n = 5; n < 1_000; n++) collector.add(mark(n));
    expect(collector.isShort).to.equal(true);
    const second = new DeadLetterCollector({ limit: 3, all: false }, collector.settlements);
    for (const entry of entries) second.add(entry);
    expect(refs(second)).to.deep.equal(['0:4', '0:3', '0:2']);
    expect(second.list()).to.include({ total: 5, retried: 995 });
    expect(second.isShort).to.equal(false);
  });
});
