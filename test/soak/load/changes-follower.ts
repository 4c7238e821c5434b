import { setTimeout as sleep } from 'node:timers/promises';
import { type ChangeItem, faultsOfChanges, type ServedItem } from '../checks/invariants.ts';
import type { ClientContext } from './clients.ts';

const POLL_MS = 1_000;

/**
 * A follower that begins with an export and asks all query services in turn, as behind a load balancer. It
 * checks every page.
 */
export class ChangesFollower {
  readonly copy = new Map<string, ServedItem>();
  /** Number of entries so far. */
  followed = 0;

  /** Follows until the signal aborts. */
  async run({ client, ledger, signal }: ClientContext): Promise<void> {
    const first = await client.get('export', '/api/export');
    for (const line of first.text.split('\n').filter(Boolean)) {
      const item = JSON.parse(line) as ServedItem;
      this.copy.set(item.id, item);
    }
    const link = /<([^>]+)>; *rel="next"/.exec(first.headers.get('link') ?? '')?.[1];
    if (link === undefined) throw new Error(`the export has no link: ${first.headers.get('link')}`);
    for (let next = new URL(link); ; ) {
      const after = Number(next.searchParams.get('afterChangeNumber'));
      const path = `${next.pathname}${next.search}`;
      const page = JSON.parse((await client.get('changes', path)).text) as {
        items: ChangeItem[];
        next: string;
      };
      for (const fault of faultsOfChanges(after, page.items)) ledger.violate(`${path}: ${fault}`);
      for (const { id, data } of page.items) {
        if (data) this.copy.set(id, data);
        else this.copy.delete(id);
      }
      this.followed += page.items.length;
      next = new URL(page.next);
      if (page.items.length === 0)
        await sleep(POLL_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}
