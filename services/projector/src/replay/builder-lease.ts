import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import type { Log } from '@vitrine/runtime';
import { BUILDER_DEAD_AFTER_MS, type Builder, GenerationError, type GenerationRecord, released } from '../generations/generation-record.ts';
import { updateRegistry } from '../generations/registry.ts';

const BEAT_EVERY_MS = 2_000;
/** A builder that could not say for so long that it lives holds still: somebody may soon take over. */
const HOLD_AFTER_MS = BUILDER_DEAD_AFTER_MS - 5_000;
const LOOK_AGAIN_MS = 200;

/** What a beat writes down besides the sign of life. */
export type Noted = Partial<Pick<GenerationRecord, 'scanned'>> & Pick<Builder, 'done' | 'total'>;

/** A builder's hold on the unfinished generation: it says every 2 seconds that it lives, and how far it is. */
export class BuilderLease {
  readonly #client: Client;
  readonly #prefix: string;
  readonly #builder: Builder;
  readonly #generation: number;
  readonly #log: Log;
  readonly #lost = new AbortController();
  readonly #stopped = new AbortController();
  #noted: Noted = {};
  #seenAt = Date.now();
  #beating: Promise<void> = Promise.resolve();

  constructor(client: Client, prefix: string, builder: Builder, generation: number, log: Log) {
    this.#client = client;
    this.#prefix = prefix;
    this.#builder = builder;
    this.#generation = generation;
    this.#log = log;
    this.#beating = this.#beatOn();
  }

  /** Aborts with a GenerationError when the generation was cancelled or taken over. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** To be written down with the next beat. */
  note(noted: Noted): void {
    this.#noted = noted;
  }

  /**
   * Resolves when the hold is sure, or the signal aborts: waits for a sign of life to get through, and without end where it is lost.
   * @param onWait called while waiting
   */
  async held(signal: AbortSignal, onWait: () => void): Promise<void> {
    while ((this.#lost.signal.aborted || Date.now() - this.#seenAt > HOLD_AFTER_MS) && !signal.aborted) {
      await sleep(LOOK_AGAIN_MS, undefined, { signal }).catch(() => undefined);
      onWait();
    }
  }

  /** Writes down a change of the generation, with what was noted last. @throws GenerationError when the hold is lost */
  async advance(changes: Partial<GenerationRecord>): Promise<void> {
    this.#noted = {};
    await this.#write(changes);
  }

  async #beatOn(): Promise<void> {
    while (!this.#stopped.signal.aborted && !this.#lost.signal.aborted) {
      await sleep(BEAT_EVERY_MS, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
      if (this.#stopped.signal.aborted) return;
      await this.#write({}).catch((error: unknown) => {
        if (!(error instanceof GenerationError)) this.#log.warn({ err: error }, 'a sign of life could not be written');
      });
    }
  }

  async #write(changes: Partial<GenerationRecord>): Promise<void> {
    const at = Date.now();
    const { scanned, ...progress } = this.#noted;
    try {
      await updateRegistry(this.#client, this.#prefix, (registry) => {
        const record = registry.generations.find(({ number }) => number === this.#generation);
        if (!record || record.phase === 'pruning') throw new GenerationError(`generation ${this.#generation} was cancelled`);
        if (registry.builder?.id !== this.#builder.id) throw new GenerationError(`generation ${this.#generation} was taken over by another process`);
        const next = { ...record, ...(scanned && { scanned }), ...changes };
        return {
          ...registry,
          generations: registry.generations.map((one) => (one === record ? next : one)),
          builder: { ...this.#builder, ...progress, seen_at: new Date(at).toISOString() },
        };
      });
      this.#seenAt = at;
    } catch (error) {
      if (error instanceof GenerationError) this.#lost.abort(error);
      throw error;
    }
  }

  /** Ends the hold: somebody else may go on at once. */
  async release(): Promise<void> {
    this.#stopped.abort();
    await this.#beating;
    await updateRegistry(this.#client, this.#prefix, (registry) => (registry.builder?.id === this.#builder.id ? released(registry) : registry));
  }
}
