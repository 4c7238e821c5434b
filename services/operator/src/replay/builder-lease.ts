import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import {
  activeBuilders,
  BUILDER_DEAD_AFTER_MS,
  type Builder,
  GenerationError,
  type GenerationRecord,
  generationOf,
  type Registry,
  type SliceProgress,
  withLostBuilders,
  withoutBuilder,
  withProgress,
  withRecord,
} from '@vitrine/feed-index';
import { updateRegistry } from '@vitrine/projection/generations';
import { type Clock, elapsed, type Moment, systemClock } from '@vitrine/projection/store';
import type { Log } from '@vitrine/runtime/log';
import { HeartbeatWatch } from './heartbeat-watch.ts';

const HEARTBEAT_EVERY_MS = 2_000;
/**
 * A builder stops writing if its last successful heartbeat is older than this, because another builder may
 * soon take over.
 */
export const UNSURE_AFTER_MS = BUILDER_DEAD_AFTER_MS - 5_000;
const CHECK_EVERY_MS = 200;

/** The members that a heartbeat stores besides its time. `slices` holds positions by slice index. */
export interface Noted extends Pick<Builder, 'done' | 'total'> {
  slices?: ReadonlyMap<number, SliceProgress>;
}

export interface LeaseContext {
  client: Client;
  prefix: string;
  log: Log;
}

/**
 * The lease of a builder for an unfinished generation: a heartbeat in the registry every 2 seconds, with its
 * progress. With each heartbeat, a builder marks other builders as lost if their heartbeats have stopped.
 */
export class BuilderLease {
  readonly #context: LeaseContext;
  readonly #builder: Builder;
  readonly #clock: Clock;
  readonly #watch = new HeartbeatWatch();
  readonly #lost = new AbortController();
  readonly #stopped = new AbortController();
  #record: GenerationRecord;
  #count: number;
  #noted: Noted = {};
  /** The time at which the last successful heartbeat began. */
  #confirmedAt: Moment;
  #beating: Promise<void> = Promise.resolve();
  /** Resolves when the last requested update has ended. */
  #updating: Promise<unknown> = Promise.resolve();

  /** @param registry lists the builder and its unfinished generation */
  constructor(
    context: LeaseContext,
    builder: Builder,
    record: GenerationRecord,
    registry: Registry,
    clock: Clock = systemClock,
  ) {
    this.#context = context;
    this.#builder = builder;
    this.#record = record;
    this.#count = activeBuilders(registry).length;
    this.#clock = clock;
    this.#confirmedAt = clock();
    this.#beating = this.#beatOn();
  }

  /** Aborts with a GenerationError when the generation was cancelled, or this builder was marked as lost. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  get id(): string {
    return this.#builder.id;
  }

  /** The generation as of the last successful heartbeat or change. */
  get record(): GenerationRecord {
    return this.#record;
  }

  /** The number of builders as of the last successful heartbeat, at least 1. */
  get builders(): number {
    return this.#count;
  }

  /** Keeps members for the next heartbeat to store. */
  note(noted: Noted): void {
    this.#noted = { ...this.#noted, ...noted };
  }

  /**
   * Waits until no other builder can have taken over, that is, until a successful heartbeat is recent on both
   * clocks. The promise also resolves if the signal aborts. A lost lease never becomes valid again.
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

  /**
   * Reads the generation and sends a heartbeat. @throws GenerationError if the lease is lost;
   * ElasticsearchClientError
   */
  async beat(): Promise<GenerationRecord> {
    return this.update((record) => record);
  }

  /**
   * Changes the generation together with a heartbeat. After a conflict, `change` is called again. The updates
   * of one builder run one after the other, because they would conflict with each other.
   * @throws GenerationError if the lease is lost; ElasticsearchClientError
   */
  update(change: (record: GenerationRecord) => GenerationRecord): Promise<GenerationRecord> {
    const updated = this.#updating.then(() => this.#update(change));
    this.#updating = updated.catch(() => undefined);
    return updated;
  }

  async #update(change: (record: GenerationRecord) => GenerationRecord): Promise<GenerationRecord> {
    const at = this.#clock();
    const { client, prefix } = this.#context;
    try {
      const registry = await updateRegistry(client, prefix, (now) => this.#next(now, at, change));
      this.#count = activeBuilders(registry).length;
      const record = this.#find(registry);
      if (record.phase !== this.#record.phase) this.#noted = {};
      this.#record = record;
      this.#confirmedAt = at;
      return this.#record;
    } catch (error) {
      if (error instanceof GenerationError) this.#lost.abort(error);
      throw error;
    }
  }

  async #beatOn(): Promise<void> {
    while (!this.#stopped.signal.aborted && !this.#lost.signal.aborted) {
      await sleep(HEARTBEAT_EVERY_MS, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
      if (this.#stopped.signal.aborted) return;
      await this.beat().catch((error: unknown) => {
        if (!(error instanceof GenerationError))
          this.#context.log.warn({ err: error }, 'could not write a heartbeat to the registry');
      });
    }
  }

  /** The registry with a heartbeat, the noted progress and the change. @throws GenerationError */
  #next(now: Registry, at: Moment, change: (record: GenerationRecord) => GenerationRecord): Registry {
    this.#find(now);
    const seen_at = new Date(at.wall).toISOString();
    const others = activeBuilders(now).filter(({ id }) => id !== this.id);
    const dead = this.#watch.observe(others, this.#clock().monotonic);
    for (const { id, host, pid } of others)
      if (dead.includes(id))
        this.#context.log.warn(
          { builder: { id, host, pid } },
          'a builder sent no heartbeat and counts as lost',
        );
    const known = withLostBuilders(now, dead, this.#builder, seen_at);
    const { slices = new Map(), ...noted } = this.#noted;
    const { scan, ...rest } = this.#find(known);
    const changed = change({ ...rest, ...(scan && { scan: withProgress(scan, this.id, slices) }) });
    // The progress belongs to the phase in which it was noted.
    const progress = changed.phase === this.#record.phase ? noted : {};
    const { builders = [], ...registry } = withRecord(known, changed);
    return {
      ...registry,
      builders: builders.map((one) =>
        one.id === this.id ? { ...this.#builder, ...progress, seen_at } : one,
      ),
    };
  }

  #find(registry: Registry): GenerationRecord {
    return generationOf(registry, this.#record.number, this.id);
  }

  /** Ends the lease. Other builders may continue this builder's slices at once. */
  async release(): Promise<void> {
    this.#stopped.abort();
    await this.#beating;
    await updateRegistry(this.#context.client, this.#context.prefix, (registry) =>
      activeBuilders(registry).some(({ id }) => id === this.id)
        ? withoutBuilder(registry, this.id)
        : registry,
    );
  }
}
