import { type GenerationRecord, generationNames, withChanges } from '@vitrine/feed-index';
import { checkIndices, type ProjectorContext, updateRegistry } from '@vitrine/projection/generations';

/** The interval between two inspections of the indices that this process writes, in milliseconds. */
export const INSPECT_EVERY_MS = 10_000;

/** Finds index settings that were changed by hand, and indices that were replaced. */
export class IndexWatch {
  readonly #context: Pick<ProjectorContext, 'client' | 'settings' | 'log'>;
  /**
   * Maps a generation number to the findings that affect readers or later writes, but do not stop the
   * consumer.
   */
  readonly #notes = new Map<number, string[]>();

  constructor(context: Pick<ProjectorContext, 'client' | 'settings' | 'log'>) {
    this.#context = context;
  }

  /**
   * Inspects the indices of a generation, and logs what is new. Completes a record from a release that did
   * not record the indices' identities.
   * @throws UnusableIndexError if no process may write to the generation
   */
  async inspect({ number, versions, index_ids }: GenerationRecord, signal?: AbortSignal): Promise<void> {
    const { client, settings, log } = this.#context;
    const { INDEX_PREFIX: prefix } = settings;
    const names = generationNames(prefix, number);
    const { notes, ids } = await checkIndices(client, names, versions, index_ids, signal);
    const before = this.#notes.get(number) ?? [];
    for (const note of notes) if (!before.includes(note)) log.warn({ generation: number }, note);
    this.#notes.set(number, notes);
    if (Object.keys(ids).every((kind) => kind in (index_ids ?? {}))) return;
    await updateRegistry(client, prefix, (registry) => {
      const record = registry.generations.find((one) => one.number === number);
      return record
        ? withChanges(registry, number, { index_ids: { ...ids, ...record.index_ids } })
        : registry;
    });
  }

  notes(number: number): readonly string[] {
    return this.#notes.get(number) ?? [];
  }

  forget(number: number): void {
    this.#notes.delete(number);
  }
}
