import { expect } from 'chai';
import { healthOf } from '../status/health.ts';
import type { Status } from '../status/status.ts';
import { type LastingHealth, lastingHealth } from './lasting-health.ts';

const status = (records: number, position: number, members = 1): Status => {
  const generations = [
    {
      number: 1,
      role: 'live',
      members: Array.from({ length: members }, () => ({ clientId: 'p', host: '', partitions: 1 })),
      lag: { records, position, seconds: records, capped: false, partitions: [], openTransactions: [] },
    },
  ] as unknown as Status['generations'];
  const given = { generations } as Status;
  return { ...given, health: healthOf(given) };
};

/** The problems after statuses at these seconds. */
const after = (...polls: [seconds: number, status: Status][]) =>
  polls.reduce<LastingHealth>((before, [seconds, one]) => lastingHealth(before, one, seconds * 1_000), {
    problems: [],
  }).problems;

describe('health over time', () => {
  it('says since when no projector runs, from the first status without one', () => {
    expect(after([0, status(0, 5)], [10, status(3, 5, 0)], [83, status(9, 5, 0)])).to.deep.equal([
      { code: 'projector-missing', level: 'bad', records: 9, since: 10_000 },
    ]);
    expect(after([0, status(3, 5, 0)], [10, status(3, 5)])).to.deep.equal([]);
  });

  it('finds a projector that is a member of its group but finishes nothing', () => {
    const frozen = status(90, 5);
    const codes = after([0, status(0, 5)], [2, frozen], [12, frozen]).map(({ code }) => code);
    expect(codes).to.deep.equal(['feed-behind']);
    expect(after([0, status(0, 5)], [2, frozen], [75, frozen])).to.deep.equal([
      { code: 'projector-stalled', level: 'bad', records: 90, since: 2_000 },
    ]);
  });

  it('does not mistake a slow projector or a quiet topic for a stopped projector', () => {
    expect(after([0, status(90, 5)], [40, status(90, 6)])).to.deep.equal([
      { code: 'feed-behind', level: 'warn', records: 90, seconds: 90, capped: false, since: 0 },
    ]);
    expect(after([0, status(0, 5)], [600, status(0, 5)])).to.deep.equal([]);
    expect(after([0, status(0, 5)], [600, status(4, 5)])).to.deep.equal([]);
  });
});
