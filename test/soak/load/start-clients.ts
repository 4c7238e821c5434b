import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '@vitrine/fixtures';
import { type ChangeItem, faultsOfChanges, type ServedItem } from '../checks/invariants.ts';
import type { Ledger } from '../checks/ledger.ts';
import {
  askAgentFeed,
  askStays,
  type ClientContext,
  crawlByCursor,
  crawlPages,
  exportFeed,
} from './clients.ts';
import { askTools } from './mcp-agent.ts';
import { QueryClient, type QueryTarget } from './query-client.ts';

/** The clients of a run, in a fixed order, so that each client makes its own choices from the seed. */
const CLIENTS = [
  crawlPages,
  crawlPages,
  crawlByCursor,
  crawlByCursor,
  askAgentFeed,
  askAgentFeed,
  askTools,
  exportFeed,
  askStays,
];
/** The offset from the seed of the market to the seeds of the clients. */
const SEED_OFFSET = 1_000;

export interface Clients {
  readonly follower: ChangesFollower;
  /** Number of items in the feed, as the last page stated. */
  readonly total: () => number;
  /** Aborts the last requests, and resolves when every client has ended. */
  stop(): Promise<void>;
  /** Stops every client but the follower. */
  stopReaders(): Promise<void>;
}

export interface ClientsOptions {
  readonly targets: readonly QueryTarget[];
  readonly ledger: Ledger;
  readonly seed: number;
  readonly steady: readonly string[];
}

/** Starts all clients. An error of a client is a violation. */
export function startClients({ targets, ledger, seed, steady }: ClientsOptions): Clients {
  const [readers, following] = [new AbortController(), new AbortController()];
  let total = 0;
  const contextOf = (i: number, { signal }: AbortController): ClientContext => ({
    client: new QueryClient(targets, ledger, signal),
    ledger,
    random: new Random(seed + SEED_OFFSET + i),
    steady,
    signal,
    onTotal: (count) => {
      total = count;
    },
  });
  const follower = new ChangesFollower();
  const guarded = (name: string, work: Promise<void>, { signal }: AbortController) =>
    work.catch((error: Error) => {
      if (!signal.aborted) ledger.violate(`the client ${name} failed: ${error.stack ?? error.message}`);
    });
  const reading = CLIENTS.map((client, i) => guarded(client.name, client(contextOf(i, readers)), readers));
  const followed = guarded('follower', follower.run(contextOf(CLIENTS.length, following)), following);
  const stopReaders = async () => {
    readers.abort();
    await Promise.all(reading);
  };
  return {
    follower,
    total: () => total,
    stopReaders,
    stop: async () => {
      await stopReaders();
      following.abort();
      await followed;
    },
  };
}

const POLL_MS = 1_000;

/**
 * A follower that begins with an export and asks all query services in turn, as behind a load balancer. It
 * checks every page.
 */
class ChangesFollower {
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
