import { expect } from 'chai';
import type { ExplainedGeneration, HistoryRecord } from './explanation.ts';
import { HistoryCollector, withEffects, withTimes } from './listing-history.ts';

const record = (offset: number, version: number, fields: string[], at: string) => ({
  partition: 0,
  offset: String(offset),
  at,
  kind: 'changed' as const,
  version,
  fields,
});

describe('the history of a listing', () => {
  it('gives each field the first time of its version', () => {
    const history = new HistoryCollector();
    history.add(record(1, 1, ['title', 'price'], '2026-01-01T00:00:00.000Z'));
    history.add(record(2, 2, ['price'], '2026-01-02T00:00:00.000Z'));
    history.add(record(3, 2, ['price'], '2026-01-03T00:00:00.000Z'));
    const state = {
      fields: {
        title: { version: 1, value: 'Casa' },
        price: { version: 2, value: 5 },
        url: { version: 9, value: null },
      },
    };
    const { state: timed } = withTimes({ state } as unknown as ExplainedGeneration, history);
    expect(timed?.fields.title?.seenAt).to.equal('2026-01-01T00:00:00.000Z');
    expect(timed?.fields.price?.seenAt).to.equal('2026-01-02T00:00:00.000Z');
    expect(timed?.fields.url).not.to.have.property('seenAt');
  });

  it('lists the newest records and counts all', () => {
    const history = new HistoryCollector();
    for (let i = 0; i < 500; i++)
      history.add(record(i, i + 1, [], new Date(Date.UTC(2026, 0, 1) + (i >> 1) * 1_000).toISOString()));
    const { total, newest } = history.listed();
    expect(total).to.equal(500);
    expect(newest).to.have.length(200);
    expect(newest.slice(0, 3).map(({ offset }) => offset)).to.deep.equal(['499', '498', '497']);
  });

  it('shows what the state holds from each event, even across epochs', () => {
    const at = '2026-01-01T00:00:00.000Z';
    const event = (offset: number, kind: 'changed' | 'removed' | 'availability_changed', more: object) => ({
      partition: 0,
      offset: String(offset),
      at,
      kind,
      ...more,
    });
    const newest = [
      event(5, 'changed', { version: [1, 2], fields: ['price'] }),
      event(4, 'removed', { version: 4 }),
      event(3, 'availability_changed', { version: 6, dates: 2 }),
      event(2, 'changed', { version: 5, fields: ['title', 'price'] }),
      event(1, 'changed', { version: 2, fields: ['title', 'price'] }),
      { ...event(0, 'changed', {}), kind: 'refused' as const, reason: 'schema' },
    ] as HistoryRecord[];
    const { total, newest: shown } = withEffects(
      { total: 9, newest },
      {
        fields: { title: { version: 5, value: 'Casa' }, price: { version: [1, 2], value: 5 } },
        dates: { '2026-01-01': {}, '2026-01-02': { version: 6, available: true } },
        removed: 4,
      },
    );
    expect(total).to.equal(9);
    expect(shown.map(({ inEffect }) => inEffect)).to.deep.equal([
      ['price'],
      ['removed'],
      ['availability'],
      ['title'],
      [],
      undefined,
    ]);
  });
});
