import { expect } from 'chai';
import type { ExplainedGeneration } from './explanation.ts';
import { HistoryCollector, withTimes } from './listing-history.ts';

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
});
