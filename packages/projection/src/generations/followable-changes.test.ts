import type { ChangesHistory } from '@vitrine/feed-index';
import { expect } from 'chai';
import { followableSince } from './followable-changes.ts';

describe('the time since which followers can continue', () => {
  const handover = { from: 10, to: 20 };
  const at = (day: number) => `2026-11-0${day}T00:00:00.000Z`;
  const [first, second] = [
    { epoch: 1, generation: 1 },
    { epoch: 2, generation: 2 },
  ];
  const third = { epoch: 3, generation: 3 };
  const history: ChangesHistory = {
    transitions: [
      { ...second, after: first, handover, at: at(2) },
      { ...third, after: second, handover, at: at(3) },
    ],
    kept: [],
  };
  const since = (changes: ChangesHistory, indices: number[], live = third) => {
    const time = followableSince(live, changes, (generation) =>
      indices.includes(generation) ? Date.parse(at(1)) : undefined,
    );
    return time === undefined ? undefined : new Date(time).toISOString();
  };

  it('is the creation of the first generation if all changes exist', () => {
    expect(since(history, [1, 2, 3])).to.equal(at(1));
    expect(since({ transitions: [], kept: [] }, [1], first)).to.equal(at(1));
  });

  it('is the first switch to a generation whose changes exist', () => {
    expect(since(history, [2, 3])).to.equal(at(2));
    expect(since(history, [1, 3])).to.equal(at(3));
  });

  it('is the last switch without marks', () => {
    const [switched, last] = history.transitions as [object, object];
    const { handover: _, ...withoutMarks } = last as (typeof history.transitions)[0];
    expect(
      since({ ...history, transitions: [switched as typeof withoutMarks, withoutMarks] }, [1, 2, 3]),
    ).to.equal(at(3));
  });

  it('is unknown if the live changes are lost', () => expect(since(history, [1, 2])).to.equal(undefined));
});
