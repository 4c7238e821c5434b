import type { ListingEvent } from '@vitrine/listing-events';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { sourceCounter } from './source-counter.ts';

const event = (source?: string): ListingEvent => ({
  kind: 'removed',
  id: 'a',
  version: 1,
  ...(source !== undefined && { source }),
});

describe('the counters by source', () => {
  const counted = async (folded: ListingEvent[], superseded: ListingEvent[] = []) => {
    const registry = new Registry();
    sourceCounter(registry)([folded], superseded);
    const valuesOf = async (name: string) => (await registry.getSingleMetric(name)?.get())?.values ?? [];
    return {
      folds: (await valuesOf('projector_folds_total')).map(({ labels, value }) => [labels.source, value]),
      superseded: await valuesOf('projector_superseded_total'),
    };
  };

  it('count events and superseded events, which start at 0', async () => {
    const { folds, superseded } = await counted([event('/a'), event('/b'), event('/a')], [event('/a')]);
    expect(folds).to.deep.equal([
      ['/a', 2],
      ['/b', 1],
    ]);
    expect(superseded).to.have.length(8);
    expect(superseded.filter(({ value }) => value > 0)).to.deep.equal([
      { labels: { source: '/a', kind: 'removed' }, value: 1 },
    ]);
  });

  it('count tombstones without a source', async () =>
    expect((await counted([event()])).folds).to.deep.equal([['', 1]]));

  it('have at most 20 sources and one for all others', async () => {
    const events = Array.from({ length: 100 }, (_, i) => event(`/${i}`));
    const { folds, superseded } = await counted(events, events);
    expect(folds).to.have.length(21);
    expect(folds.at(-1)).to.deep.equal(['other', 80]);
    expect(superseded.filter(({ value }) => value > 0)).to.have.length(21);
  });

  it('clean and shorten hostile text', async () => {
    const sources = ['a\n\u202eb\0', '__proto__', ' \u200b ', `${'é'.repeat(499)}\ud800`, 'x"}\\'];
    const { folds } = await counted(sources.map(event));
    expect(folds.map(([source]) => source)).to.deep.equal([
      'a b',
      '__proto__',
      'other',
      `${'é'.repeat(59)}…`,
      'x"}\\',
    ]);
  });
});
