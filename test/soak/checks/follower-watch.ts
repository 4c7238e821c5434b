import type { FollowerProgram } from '../../support/follower-program.ts';
import { faultsOfProgress } from './invariants.ts';
import type { Ledger } from './ledger.ts';

/** What the watch sees of a published follower. */
export type WatchedFollower = Pick<FollowerProgram, 'start' | 'ending' | 'log' | 'next' | 'run' | 'position'>;

/** Looks at the published followers, which must never start over, go back, or end by themselves. */
export class FollowerWatch {
  readonly #before = new Map<WatchedFollower, { run: number; position: number }>();

  /**
   * Looks once. If a follower has ended by itself, this method starts it again, so that the other checks
   * continue.
   */
  look(followers: readonly WatchedFollower[], ledger: Ledger): void {
    for (const [i, follower] of followers.entries()) {
      const ending = follower.ending();
      if (ending !== undefined) {
        ledger.violate(`follower ${i + 1} ended with ${ending}: ${follower.log().slice(-300)}`);
        follower.start();
      }
      const before = this.#before.get(follower);
      if (follower.next() === undefined) {
        if (before) ledger.violate(`follower ${i + 1}: it started over. ${follower.log().slice(-300)}`);
        continue;
      }
      const now = { run: follower.run(), position: follower.position() };
      if (before)
        for (const fault of faultsOfProgress(before, now)) ledger.violate(`follower ${i + 1}: ${fault}`);
      this.#before.set(follower, now);
    }
  }
}
