import { type GenerationRecord, generationNames, type Phase } from '@vitrine/feed-index';
import { createIndices } from '@vitrine/projection/generations';
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

/** Creates the indices of a generation, unless they exist. */
export const createBuilding = (
  { client, settings, log, signal }: Build,
  { number, versions }: GenerationRecord,
): Promise<void> =>
  retryAndLog(
    () =>
      createIndices(client, settings, generationNames(settings.INDEX_PREFIX, number), versions, 'building'),
    log,
    signal,
  );
