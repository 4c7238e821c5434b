import type { FollowerProgram } from '../../support/follower-program.ts';
import { faultsOfProgress } from './invariants.ts';
import type { Ledger } from './ledger.ts';

/** Looks at the copies of the published followers, which must never start over or go back. */
export class FollowerWatch {
  readonly #before = new Map<FollowerProgram, { run: number; position: number }>();

  look(followers: readonly FollowerProgram[], ledger: Ledger): void {
    for (const [i, follower] of followers.entries()) {
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
