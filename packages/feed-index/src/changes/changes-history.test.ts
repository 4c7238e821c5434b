import { expect } from 'chai';
import { changeNumber } from './change-entry.ts';
import {
  baseBetween,
  EMPTY_HISTORY,
  epochAfterLoss,
  expiredChanges,
  liveChain,
  nextEpoch,
  type Transition,
  withCompleted,
  withKept,
  withoutKept,
  withTransition,
} from './changes-history.ts';

const at = '2026-11-22T00:00:00.000Z';
const first: Transition = { epoch: 1, generation: 1, at };
const second: Transition = { epoch: 2, generation: 2, at, after: first, base: { from: 10, to: 20 } };
const third: Transition = { epoch: 4, generation: 3, at, after: second, base: { from: 30, to: 40 } };
const history = [second, third].reduce(withTransition, EMPTY_HISTORY);

describe('the history of the changes', () => {
  it('gives a switch an epoch that no other switch has used, not even a failed one', () => {
    expect(nextEpoch(1, EMPTY_HISTORY)).to.equal(2);
    expect(nextEpoch(2, history)).to.equal(5);
    expect(nextEpoch(9, history)).to.equal(10);
  });

  it('begins a higher epoch after each loss, even if the losses are close together', () => {
    const now = Date.parse(at);
    for (const generation of [2, 500]) {
      const moves = 3;
      expect(epochAfterLoss(generation + 1, now)).to.be.above(epochAfterLoss(generation, now) + moves);
    }
    expect(epochAfterLoss(2, now)).to.be.above(now / (7 * 24 * 60 * 60 * 1_000));
    expect(changeNumber(epochAfterLoss(1_000_000, now), 0)).to.satisfy(Number.isSafeInteger);
  });

  it('has the base of two generations in both directions', () => {
    const chain = liveChain(third, history);
    expect(baseBetween(chain, 1, 2)).to.deep.equal({ from: 10, to: 20 });
    expect(baseBetween(chain, 2, 1)).to.deep.equal({ from: 20, to: 10 });
    expect(baseBetween(chain, 3, 2)).to.deep.equal({ from: 40, to: 30 });
    expect(baseBetween(chain, 3, 1)).to.equal(undefined);
  });

  it('has the base of the last transition, and none if this one has none', () => {
    const back: Transition = { epoch: 5, generation: 2, at, after: third, base: { from: 77, to: 66 } };
    const again: Transition = { epoch: 6, generation: 3, at, after: back };
    const later = withTransition(history, back);
    expect(baseBetween(liveChain(back, later), 2, 3)).to.deep.equal({ from: 66, to: 77 });
    expect(baseBetween(liveChain(again, withTransition(later, again)), 3, 2)).to.equal(undefined);
  });

  it('keeps the changes of a pruned generation until their time, whatever later prunes say', () => {
    const kept = withKept(history, { generation: 1, until: at });
    expect(withKept(kept, { generation: 1, until: '2027-01-01T00:00:00.000Z' })).to.equal(kept);
    expect(expiredChanges(kept, Date.parse(at) - 1)).to.deep.equal([]);
    expect(expiredChanges(kept, Date.parse(at))).to.deep.equal([1]);
    expect(withoutKept(kept, [1])).to.deep.equal(history);
  });

  it('marks one handover as completed, once', () => {
    const completed = withCompleted(history, 4);
    expect(completed.transitions).to.deep.equal([second, { ...third, completed: true }]);
    expect(withCompleted(completed, 4)).to.equal(completed);
    expect(withCompleted(history, 9)).to.equal(history);
  });

  it('forgets the oldest of many transitions', () => {
    let long = EMPTY_HISTORY;
    for (let epoch = 2; epoch < 400; epoch++) long = withTransition(long, { ...second, epoch });
    expect(long.transitions).to.have.length(200);
    expect(long.transitions.at(-1)?.epoch).to.equal(399);
  });
});
