import { type GenerationRecord, generationNames, type Phase } from '@vitrine/feed-index';
import { checkIndices, createIndices } from '@vitrine/projection/generations';
import type { CommandContext } from '../command-context.ts';
import type { BuilderLease } from './builder-lease.ts';
import type { ReaderWatch } from './reader-watch.ts';
import { retryAndLog } from './retry-and-log.ts';

/** Progress of a phase, of all builders together. `total` may grow while new events arrive. */
export interface ReplayProgress {
  generation: number;
  phase: Phase;
  done: number;
  total: number;
}

/** Shared by the phases of one builder. The signal also aborts when the lease is lost. */
export interface Build extends CommandContext {
  lease: BuilderLease;
  readers: Pick<ReaderWatch, 'reading'>;
  /** Called if no projector writes the generation at the end. */
  onNoProjector(): void;
  onProgress(progress: ReplayProgress): void;
}

/**
 * Creates the indices of a generation, unless they exist, and records their identities.
 * @throws UnusableIndexError if an index that a builder created was replaced, or an index template
 * changes it; the signal's reason
 */
export async function createBuilding(
  { client, settings, lease, log, signal }: Build,
  { number, versions }: GenerationRecord,
): Promise<void> {
  const generation = generationNames(settings.INDEX_PREFIX, number);
  const index_ids = await retryAndLog(
    () => createIndices(client, settings, generation, versions, 'building'),
    log,
    signal,
  );
  const record = await retryAndLog(
    () => lease.update((now) => (now.index_ids ? now : { ...now, index_ids })),
    log,
    signal,
  );
  await retryAndLog(() => checkIndices(client, generation, versions, record.index_ids), log, signal);
}
