import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import {
  type Builder,
  type GenerationRecord,
  itemsAlias,
  type Registry,
  unfinishedGeneration,
} from '@vitrine/feed-index';
import { updateRegistry } from '@vitrine/projection/generations';
import type { CommandContext } from '../command-context.ts';
import { rememberWritten } from '../dead-letters/written-dead-letters.ts';
import type { Build, ReplayProgress } from './build.ts';
import { runPhase } from './build-phases.ts';
import { BuilderLease } from './builder-lease.ts';
import { ReaderWatch } from './reader-watch.ts';
import { retryAndLog } from './retry-and-log.ts';

/** Callbacks of a builder. */
export interface Reports {
  /** Called when the process is a builder of the generation, so that others can join it. */
  onBegun(generation: number): void;
  onProgress(progress: ReplayProgress): void;
}

export interface Replayed {
  generation: number;
  /** Whether a projector writes the generation at the end. Absent if this builder found it ready. */
  hasProjector?: boolean;
}

/** A new identity for this process in the registry. */
export function newBuilder(): Builder {
  const now = new Date().toISOString();
  return { id: randomUUID(), host: hostname(), pid: process.pid, started_at: now, seen_at: now };
}

/** Becomes a builder of the generation, and does its part of each phase until the generation is ready. */
export async function runBuilder(
  context: CommandContext,
  take: (registry: Registry) => Registry,
  builder: Builder,
  reports: Reports,
): Promise<Replayed> {
  const { client, settings, log } = context;
  const { INDEX_PREFIX: prefix } = settings;
  const taken = await updateRegistry(client, prefix, take);
  const begun = unfinishedGeneration(taken) as GenerationRecord;
  const generation = begun.number;
  const lease = new BuilderLease({ client, prefix, log }, builder, begun, taken);
  let hasProjector = true;
  const onNoProjector = () => {
    hasProjector = false;
  };
  const signal = AbortSignal.any([context.signal, lease.lost]);
  const readers = new ReaderWatch(client, itemsAlias(prefix), log);
  const { onProgress } = reports;
  const work: Build = { ...context, signal, lease, readers, onProgress, onNoProjector };
  reports.onBegun(generation);
  try {
    // The dead-letter topic already contains the dead letters of the records that the live generation has
    // read.
    await rememberWritten(work);
    for (;;) {
      // Confirms the lease first, so that the phase never recreates indices that a cancellation has removed.
      const record = await retryAndLog(() => lease.beat(), log, signal);
      if (await runPhase(work, record)) return { generation, hasProjector };
    }
  } catch (error) {
    throw lease.lost.aborted ? lease.lost.reason : error;
  } finally {
    readers.stop();
    await lease
      .release()
      .catch((error: unknown) =>
        log.warn({ err: error }, 'could not release the lease; it expires after 15 seconds'),
      );
  }
}
