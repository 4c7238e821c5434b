import type { ListingSources } from '../agents/listing-source.ts';
import type { ClientShares } from '../budget/client-shares.ts';
import { untilAborted } from '../search/shared-resource.ts';
import { createCatalog, type UcpCall, type UcpOperation, type UcpResponse } from './catalog.ts';

export interface UcpRunnerOptions {
  sources: ListingSources;
  /** Admits operations together with the pages of the feeds. */
  shares: ClientShares;
  /** Maximum duration of an operation, in milliseconds. */
  deadlineMs: number;
}

/**
 * Runs an operation of the catalog within the limits.
 * @throws UcpRefusal, FeedUnavailable, Overloaded
 */
export type RunUcp = (operation: UcpOperation, body: unknown, call: UcpCall) => Promise<UcpResponse>;

/** Creates a function that runs the operations, for REST and for MCP. */
export function createUcpRunner({ sources, shares, deadlineMs }: UcpRunnerOptions): RunUcp {
  const catalog = createCatalog(sources);
  return (operation, body, { extension, budget, signal: disconnected }) => {
    const signal = AbortSignal.any([disconnected, AbortSignal.timeout(deadlineMs)]);
    const run = () => catalog[operation](body, { extension, budget, signal });
    return untilAborted(shares.pass(budget.client, run, signal), signal);
  };
}
