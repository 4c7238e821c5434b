import { decodeRecord } from '@vitrine/listing-events';
import { expect } from 'chai';
import { demoData } from './demo-data.ts';
import { Draws } from './draws.ts';
import { Market } from './market.ts';

const TODAY = '2026-03-10';
const NOW = new Date('2026-03-10T12:00:00Z');

describe('the market', () => {
  const data = demoData({ seed: 3, count: 300, today: TODAY });
  const changes = (market: Market, count: number) => Array.from({ length: count }, () => market.next(NOW));
  const open = () => new Market(data, TODAY, new Draws(5));

  it('changes in the same way for the same draws, and leaves the data alone', () => {
    const before = structuredClone(data);
    expect(changes(open(), 200)).to.deep.equal(changes(open(), 200));
    expect(data).to.deep.equal(before);
  });

  it('tells of every kind of change in events that the contract accepts, with versions that go up', () => {
    const market = open();
    const versions = new Map<string, number>();
    for (const { subject, data: said } of data.events) versions.set(subject, Math.max(versions.get(subject) ?? 0, said.version));
    const happened = changes(market, 500);
    for (const event of happened.flatMap(({ events }) => events)) {
      const decoded = decodeRecord({ key: Buffer.from(event.subject), value: Buffer.from(JSON.stringify(event)) });
      expect(decoded.outcome).to.equal('event');
      expect(event.data.version).to.equal((versions.get(event.subject) ?? 0) + 1);
      versions.set(event.subject, event.data.version);
    }
    for (const kind of [/^price of/, /taken from/, /free again/, /^new: /, /removed$/, /complete now$/]) {
      expect(
        happened.some(({ summary }) => kind.test(summary)),
        String(kind),
      ).to.equal(true);
    }
  });

  it('knows how many are complete', () => {
    const market = open();
    expect([market.complete, market.complete + market.hidden]).to.deep.equal([data.complete, 300]);
    for (let step = 0; step < 300; step++) {
      const before = market.complete;
      const { summary } = market.next(NOW);
      const expected = /^new|complete now/.test(summary) ? 1 : /removed$/.test(summary) ? -1 : 0;
      expect(market.complete - before, summary).to.equal(expected);
    }
  });
});
