import { expect } from 'chai';
import { FollowerWatch, type WatchedFollower } from './follower-watch.ts';
import { Ledger } from './ledger.ts';

const follower = (ending: () => number | NodeJS.Signals | undefined, start = () => undefined) =>
  ({
    start,
    ending,
    log: () => 'out of memory',
    next: () => 'http://localhost/api/changes',
    run: () => 1,
    position: () => 5,
  }) satisfies WatchedFollower;

describe('FollowerWatch', () => {
  it('counts the end of a follower that no fault ordered as a violation, and starts it again', () => {
    const ledger = new Ledger();
    const watch = new FollowerWatch();
    let ending: number | NodeJS.Signals | undefined;
    const running = follower(() => undefined);
    const dying = follower(
      () => ending,
      () => {
        ending = undefined;
      },
    );
    watch.look([running, dying], ledger);
    expect(ledger.violations).to.deep.equal([]);
    ending = 'SIGSEGV';
    watch.look([running, dying], ledger);
    watch.look([running, dying], ledger);
    expect(ledger.violations.map(({ what }) => what)).to.deep.equal([
      'follower 2 ended with SIGSEGV: out of memory',
    ]);
  });
});
