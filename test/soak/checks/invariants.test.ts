import { expect } from 'chai';
import {
  faultsOfChanges,
  faultsOfCrawl,
  faultsOfItems,
  faultsOfLive,
  faultsOfProgress,
  faultsOfStays,
  missingMembers,
} from './invariants.ts';

const item = (id: string) => ({
  id,
  title: 'Casa',
  price: 1,
  currency: 'BRL',
  url: 'https://vitrine.example/1',
  location: { city: 'Belém', country: 'BR' },
});

describe('the invariants', () => {
  it('find an incomplete item', () => {
    expect(missingMembers(item('a'))).to.deep.equal([]);
    const { url: _, ...incomplete } = item('a');
    expect(missingMembers({ ...incomplete, price: 0, location: {} })).to.deep.equal([
      'url',
      'location.city',
      'price',
    ]);
    expect(faultsOfItems([item('a'), { ...item('b'), title: '' }])).to.have.length(1);
  });

  it('find an item that appears twice in a response', () => {
    expect(faultsOfItems([item('a'), item('b')])).to.deep.equal([]);
    expect(faultsOfItems([item('a'), item('b'), item('a')])).to.have.length(1);
  });

  it('find a listing that a crawl misses or repeats', () => {
    expect(faultsOfCrawl(['x', 'a', 'b'], ['a', 'b'])).to.deep.equal([]);
    expect(faultsOfCrawl(['x', 'a'], ['a', 'b'])).to.deep.equal(['the crawl contains b 0 times']);
    expect(faultsOfCrawl(['a', 'b', 'a'], ['a', 'b'])).to.deep.equal(['the crawl contains a 2 times']);
  });

  it('find changes that go back, repeat, or lack their data', () => {
    const updated = (id: string, modified: number) => ({
      id,
      modified,
      state: 'updated' as const,
      data: item(id),
    });
    expect(faultsOfChanges(4, [updated('a', 5), updated('b', 9)])).to.deep.equal([]);
    expect(faultsOfChanges(5, [updated('a', 5)])).to.have.length(1);
    expect(faultsOfChanges(4, [updated('a', 9), updated('b', 8)])).to.have.length(1);
    expect(faultsOfChanges(4, [{ id: 'a', modified: 5, state: 'updated' }])).to.have.length(1);
    expect(faultsOfChanges(4, [updated('a', 5), updated('a', 6)])).to.have.length(1);
  });

  it('find a stay that is too short, not free, or has another total', () => {
    const availability = [
      { date: '2026-12-01', available: true, price: 80 },
      { date: '2026-12-02', available: true, price: 120.25 },
      { date: '2026-12-03', available: false },
    ];
    const stay = { from: '2026-12-01', to: '2026-12-02', total_price: 200.25 };
    const faults = (change: object) => faultsOfStays([{ ...item('a'), availability, stay, ...change }], 2);
    expect(faults({})).to.deep.equal([]);
    expect(faults({ stay: undefined })).to.deep.equal(['the stay of a is not 2 free nights']);
    expect(faults({ stay: { ...stay, to: '2026-12-01' } })).to.have.length(1);
    expect(faults({ stay: { ...stay, from: '2026-12-02', to: '2026-12-03' } })).to.have.length(1);
    expect(faults({ stay: { ...stay, total_price: 200 } })).to.deep.equal([
      'the stay of a costs 200 instead of 200.25',
    ]);
  });

  it('find a copy that goes back or starts over', () => {
    const at = (position: number, run = 1) => ({ run, position });
    expect(faultsOfProgress(at(5), at(5))).to.deep.equal([]);
    expect(faultsOfProgress(at(5), at(4))).to.have.length(1);
    expect(faultsOfProgress(at(5), at(9, 2))).to.have.length(1);
  });

  it('find a switch whose items or changes are of another generation', () => {
    const changes = { epoch: 7, generation: 3 };
    expect(faultsOfLive(3, { live: 3 }, changes)).to.deep.equal([]);
    expect(faultsOfLive(3, { live: 2 }, changes)).to.deep.equal(['generation 2 is live']);
    expect(faultsOfLive(3, {}, changes)).to.deep.equal(['generation none is live']);
    expect(faultsOfLive(2, { live: 2 }, changes)).to.deep.equal([
      'the live changes are of generation 3 (epoch 7)',
    ]);
    expect(faultsOfLive(2, { live: 2 }, undefined)).to.deep.equal([
      'the live changes are of generation none',
    ]);
  });
});
