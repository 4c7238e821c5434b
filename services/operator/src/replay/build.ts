import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import {
  type Builder,
  type GenerationRecord,
  itemsAlias,
  type Phase,
  type Registry,
} from '@vitrine/feed-index';
import type { GenerationConsumer } from '@vitrine/projection/generations';
import type { CommandContext } from '../command-context.ts';
import { BuilderLease } from './builder-lease.ts';
import { ReaderWatch } from './reader-watch.ts';

/** The progress of all builders together in a phase. `total` may grow while new events arrive. */
export interface ReplayProgress {
  generation: number;
  phase: Phase;
  done: number;
  total: number;
}

export interface Reports {
  /** Reports that the process has become a builder of the generation, so that other builders can join. */
  onBegun(generation: number): void;
  onProgress(progress: ReplayProgress): void;
}

/**
 * What a builder holds between its actions. The signal also aborts when the lease is lost or the consumer
 * fails.
 */
export interface Build extends CommandContext {
  lease: BuilderLease;
  readers: Pick<ReaderWatch, 'reading' | 'stop'>;
  onProgress: Reports['onProgress'];
  /** Ends the work in the background. */
  ended: AbortController;
  consumer?: GenerationConsumer | undefined;
  /** Whether the consumer only has to keep up with new events. */
  isFollowing: boolean;
  /** Resolves when the indices have the refresh interval of live ones. */
  opened?: Promise<void>;
  /** Resolves when the consumer group has its start offsets. */
  group?: Promise<void>;
}

/** A new identity for this process in the registry. */
export function newBuilder(): Builder {
  const now = new Date().toISOString();
  return { id: randomUUID(), host: hostname(), pid: process.pid, started_at: now, seen_at: now };
}

/** Starts the heartbeat of a builder. @param registry lists the builder and its unfinished generation */
export function startBuild(
  context: CommandContext,
  { onBegun, onProgress }: Reports,
  { builder, record, registry }: { builder: Builder; record: GenerationRecord; registry: Registry },
): Build {
  const { client, log } = context;
  const { INDEX_PREFIX: prefix } = context.settings;
  const lease = new BuilderLease({ client, prefix, log }, builder, record, registry);
  const ended = new AbortController();
  onBegun(record.number);
  return {
    ...context,
    signal: AbortSignal.any([context.signal, lease.lost, ended.signal]),
    lease,
    readers: new ReaderWatch(client, itemsAlias(prefix), log),
    onProgress,
    ended,
    isFollowing: false,
  };
}

/**
 * Ends the heartbeat. Other builders can continue this builder's work at once, even while the consumer that
 * starts the group still waits for a rebalance.
 */
export async function endBuild({ ended, group, readers, lease }: Build): Promise<void> {
  ended.abort();
  readers.stop();
  try {
    await lease.release();
  } finally {
    // Otherwise, this consumer would keep the command running after the connections have closed.
    await group?.catch(() => undefined);
  }
}
