import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import {
  BUILDER_DEAD_AFTER_MS,
  type Builder,
  GenerationError,
  type GenerationRecord,
  withChanges,
  withoutBuilder,
} from '@vitrine/feed-index';
import { updateRegistry } from '@vitrine/projection/generations';
import { type Clock, elapsed, type Moment, systemClock } from '@vitrine/projection/store';
import type { Log } from '@vitrine/runtime/log';

const HEARTBEAT_EVERY_MS = 2_000;
/**
 * Maximum age of the last successful heartbeat with which a builder may still write. Another builder may take
 * over soon afterwards.
 */
export const UNSURE_AFTER_MS = BUILDER_DEAD_AFTER_MS - 5_000;
const CHECK_EVERY_MS = 200;

/** The members that a heartbeat stores in addition to its time. */
export type Noted = Partial<Pick<GenerationRecord, 'scanned'>> & Pick<Builder, 'done' | 'total'>;

/**
 * A builder's lease on the unfinished generation: a heartbeat in the registry every 2 seconds, with its
 * progress.
 */
export class BuilderLease {
  readonly #client: Client;
  readonly #prefix: string;
  readonly #builder: Builder;
  readonly #generation: number;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #lost = new AbortController();
  readonly #stopped = new AbortController();
  #noted: Noted = {};
  /** Time at which the last successful heartbeat began. */
  #confirmedAt: Moment;
  #beating: Promise<void> = Promise.resolve();

  constructor(
    client: Client,
    prefix: string,
    builder: Builder,
    generation: number,
    log: Log,
    clock: Clock = systemClock,
  ) {
    this.#client = client;
    this.#prefix = prefix;
    this.#builder = builder;
    this.#generation = generation;
    this.#log = log;
    this.#clock = clock;
    this.#confirmedAt = clock();
    this.#beating = this.#beatOn();
  }

  /** Aborts with a GenerationError if the generation was cancelled, or if another builder took over. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Sets the members that the next heartbeat stores. */
  note(noted: Noted): void {
    this.#noted = noted;
  }

  /**
   * Waits until no other builder can have taken over, which means that the last successful heartbeat is
   * recent on both clocks. The promise also resolves if the signal aborts. A lost lease never becomes valid
   * again.
   * @param onWait called while waiting
   */
  async confirmed(signal: AbortSignal, onWait: () => void = () => undefined): Promise<void> {
    while (
      (this.#lost.signal.aborted || elapsed(this.#confirmedAt, this.#clock()) > UNSURE_AFTER_MS) &&
      !signal.aborted
    ) {
      await sleep(CHECK_EVERY_MS, undefined, { signal }).catch(() => undefined);
      onWait();
    }
  }

  /** Stores a change of the generation. @throws GenerationError if the lease is lost; the client's errors */
  async advance(changes: Partial<GenerationRecord>): Promise<void> {
    this.#noted = {};
    await this.#write(changes);
  }

  async #beatOn(): Promise<void> {
    while (!this.#stopped.signal.aborted && !this.#lost.signal.aborted) {
      await sleep(HEARTBEAT_EVERY_MS, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
      if (this.#stopped.signal.aborted) return;
      await this.#write({}).catch((error: unknown) => {
        if (!(error instanceof GenerationError))
          this.#log.warn({ err: error }, 'could not write a heartbeat to the registry');
      });
    }
  }

  async #write(changes: Partial<GenerationRecord>): Promise<void> {
    const at = this.#clock();
    const { scanned, ...progress } = this.#noted;
    try {
      await updateRegistry(this.#client, this.#prefix, (registry) => {
        const record = registry.generations.find(({ number }) => number === this.#generation);
        if (!record || record.phase === 'pruning')
          throw new GenerationError(`generation ${this.#generation} was cancelled`);
        if (registry.builder?.id !== this.#builder.id)
          throw new GenerationError(`generation ${this.#generation} was taken over by another process`);
        return {
          ...withChanges(registry, this.#generation, { ...(scanned && { scanned }), ...changes }),
          builder: { ...this.#builder, ...progress, seen_at: new Date(at.wall).toISOString() },
        };
      });
      this.#confirmedAt = at;
    } catch (error) {
      if (error instanceof GenerationError) this.#lost.abort(error);
      throw error;
    }
  }

  /** Ends the lease. Another builder may take over at once. */
  async release(): Promise<void> {
    this.#stopped.abort();
    await this.#beating;
    await updateRegistry(this.#client, this.#prefix, (registry) =>
      registry.builder?.id === this.#builder.id ? withoutBuilder(registry) : registry,
    );
  }
}
