import { Random } from '@vitrine/fixtures';
import type { Ledger } from '../checks/ledger.ts';
import { ChangesFollower } from './changes-follower.ts';
import { askAgentFeed, type ClientContext, crawlByCursor, crawlPages, exportFeed } from './clients.ts';
import { askTools } from './mcp-agent.ts';
import { QueryClient, type QueryTarget } from './query-client.ts';

/** The clients of a run, in a fixed order, so that each has its own choices from the seed. */
const CLIENTS = [
  crawlPages,
  crawlPages,
  crawlByCursor,
  crawlByCursor,
  askAgentFeed,
  askAgentFeed,
  askTools,
  exportFeed,
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
