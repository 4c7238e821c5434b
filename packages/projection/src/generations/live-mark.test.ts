import { expect } from 'chai';
import { entryMark } from './live-mark.ts';

const at = '2026-11-22T00:00:00.000Z';
const [first, second, third] = [
  { epoch: 1, generation: 1 },
  { epoch: 2, generation: 2 },
  { epoch: 3, generation: 1 },
];
const history = {
  kept: [],
  transitions: [
    { ...second, at, after: first, handover: { from: 100, to: 40 } },
    { ...third, at, after: second, handover: { from: 70, to: 150 } },
  ],
};

describe('the mark at which followers enter the live generation', () => {
  it('is that of the switch', () => expect(entryMark(second, history, 1)).to.equal(40));
  it('is that of the rollback', () => expect(entryMark(third, history, 2)).to.equal(150));
  it('is absent for a generation that was never live, so that a rebuild touches nothing', () =>
    expect(entryMark(third, history, 3)).to.equal(-1));
  it('is absent before the first switch', () => expect(entryMark(first, history, 1)).to.equal(-1));
});
