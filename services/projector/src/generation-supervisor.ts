import { setTimeout as sleep } from 'node:timers/promises';
import type { GenerationRecord, Registry } from '@vitrine/feed-index';
import {
  type GenerationConsumer,
  groupOf,
  isWritable,
  type ProjectorContext,
  prepareStart,
  type Roles,
  readRegistry,
  readRoles,
  startGenerationConsumer,
  UnusableIndexError,
} from '@vitrine/projection/generations';
import { failureReason } from '@vitrine/runtime/elasticsearch';
import { foreignLiveGeneration, type Rollout, rolloutBeside } from './foreign-live-generation.ts';
import { showGenerations } from './generation-gauges.ts';
import { INSPECT_EVERY_MS, IndexWatch } from './index-watch.ts';

/** The delay before a failed consumer restarts, except after a failed inspection of the indices. */
const RETRY_AFTER_MS = 60_000;
/**
 * How often the supervisor reads the members of another projector's group, and how long such a read may delay
 * the reconciliation.
 */
const MEMBERS_EVERY_MS = 5_000;
const MEMBERS_WITHIN_MS = 2_000;

/**
 * Runs one consumer for each ready generation, live or not, whose versions this code writes. A consumer
 * starts when the registry lists its generation as ready, and stops when an operator prunes the generation.
 */
export class GenerationSupervisor {
  readonly #context: ProjectorContext;
  readonly #onFatal: (error: Error) => void;
  readonly #consumers = new Map<number, GenerationConsumer>();
  /** Generation number -> the reason why the generation has no consumer. */
  readonly #failures = new Map<number, { reason: string; at: number; retryAfter: number }>();
  readonly #indices: IndexWatch;
  readonly #inspectEvery: number;
  #inspectedAt = performance.now();
  #live: number | undefined;
  /** The rollout, which is present if the live generation was built with other versions. */
  #rollout: Rollout | undefined;
  /**
   * Whether the group of the live generation with other versions has members, and when the last read began.
   */
  #members: { generation: number; isWritten: boolean; readAt: number } | undefined;

  /**
   * @param onFatal called when the consumer of the live generation cannot continue
   * @param inspectEvery milliseconds between two inspections of the indices
   */
  constructor(
    context: ProjectorContext,
    onFatal: (error: Error) => void,
    inspectEvery: number = INSPECT_EVERY_MS,
  ) {
    this.#context = context;
    this.#onFatal = onFatal;
    this.#indices = new IndexWatch(context);
    this.#inspectEvery = inspectEvery;
  }

  /**
   * Starts and stops consumers according to the registry. The caller repeats this call, but must not make
   * concurrent calls.
   * @param signal ends the requests to Elasticsearch
   * @throws the error that prevents the start of the live generation's consumer
   */
  async reconcile(signal: AbortSignal): Promise<void> {
    const { client, settings } = this.#context;
    const prefix = settings.INDEX_PREFIX;
    const [registry, roles] = await Promise.all([
      readRegistry(client, prefix, signal),
      readRoles(client, prefix, signal),
    ]);
    if (!registry || signal.aborted) return;
    this.#live = roles.live;
    showGenerations(this.#context.metrics, registry, roles, Date.now());
    await this.#observeRollout(registry, roles, signal);
    const wanted = this.#wanted(registry, roles);
    for (const [number, consumer] of this.#consumers)
      if (!wanted.some((record) => record.number === number)) {
        this.#context.log.info({ generation: number }, 'stopping the consumer of a generation');
        this.#consumers.delete(number);
        this.#indices.forget(number);
        await consumer.stop();
      }
    await this.#inspect(wanted, signal);
    for (const number of this.#failures.keys())
      if (!wanted.some((record) => record.number === number)) this.#failures.delete(number);
    for (const record of wanted) if (!this.#consumers.has(record.number)) await this.#start(record, roles);
  }

  /**
   * Inspects the indices of the running consumers periodically, and stops the consumers that must not write.
   */
  async #inspect(wanted: readonly GenerationRecord[], signal: AbortSignal): Promise<void> {
    if (performance.now() - this.#inspectedAt < this.#inspectEvery) return;
    this.#inspectedAt = performance.now();
    for (const record of wanted) {
      const consumer = this.#consumers.get(record.number);
      if (!consumer) continue;
      try {
        await this.#indices.inspect(record, signal);
      } catch (error) {
        if (!(error instanceof UnusableIndexError)) throw error;
        this.#consumers.delete(record.number);
        this.#recordFailure(record.number, error);
        await consumer.stop();
      }
    }
  }

  #wanted({ generations }: Registry, { live }: Roles): GenerationRecord[] {
    // An interrupted prune may have marked the live generation, which still needs a consumer.
    return generations.filter(
      ({ phase, number, versions }) =>
        (phase === 'ready' || (phase === 'pruning' && number === live)) &&
        isWritable(versions, this.#context.rules),
    );
  }

  /** Finds out whether this projector takes part in a rollout of new versions, and logs each change. */
  async #observeRollout(registry: Registry, roles: Roles, signal: AbortSignal): Promise<void> {
    const { rules, log, metrics } = this.#context;
    const foreign = foreignLiveGeneration(registry, roles, rules);
    const before = this.#rollout;
    this.#rollout =
      foreign && rolloutBeside(foreign, rules, await this.#isWritten(foreign.record.number, signal));
    metrics.awaitsReplay.set(Number(this.#rollout?.state === 'awaits-replay'));
    if (!this.#rollout || this.#rollout.text === before?.text) return;
    // After an upgrade in place, the new projector would otherwise log no reason for its inactivity.
    log[this.#rollout.state === 'idle' ? 'info' : 'warn'](
      { reason: this.#rollout.text },
      'this projector does not write a generation that was built with other versions',
    );
  }

  /**
   * Whether the group of a generation has members. If Kafka does not respond in time, the last result counts.
   */
  async #isWritten(generation: number, signal: AbortSignal): Promise<boolean> {
    if (this.#members?.generation !== generation)
      this.#members = { generation, isWritten: false, readAt: Number.NEGATIVE_INFINITY };
    const members = this.#members;
    if (performance.now() - members.readAt >= MEMBERS_EVERY_MS) {
      members.readAt = performance.now();
      const { admin, settings, log } = this.#context;
      const reading = admin.describeGroup(groupOf(settings.CONSUMER_GROUP, generation)).then(
        (group) => {
          members.isWritten = group.members.length > 0;
        },
        (error: unknown) => log.debug({ err: error, generation }, 'could not read the members of the group'),
      );
      const late = sleep(MEMBERS_WITHIN_MS, undefined, { signal, ref: false }).catch(() => undefined);
      await Promise.race([reading, late]);
    }
    return members.isWritten;
  }

  async #start(record: GenerationRecord, { live }: Roles): Promise<void> {
    const { number } = record;
    const { settings } = this.#context;
    const failure = this.#failures.get(number);
    if (failure && performance.now() - failure.at < failure.retryAfter) return;
    try {
      await this.#indices.inspect(record);
      const topic_id = await prepareStart(this.#context, record, groupOf(settings.CONSUMER_GROUP, number));
      const consumer = await startGenerationConsumer(this.#context, { ...record, topic_id });
      this.#consumers.set(number, consumer);
      this.#failures.delete(number);
      void consumer.failed.then((error) => this.#onFailed(consumer, error));
    } catch (error) {
      // A lost index does not return on its own. The projector reports the loss, and waits for a replay that
      // builds a new generation.
      if (number === live && !(error instanceof UnusableIndexError)) throw error;
      this.#recordFailure(number, error as Error);
    }
  }

  #onFailed(consumer: GenerationConsumer, error: Error): void {
    const { number } = consumer.generation;
    if (this.#consumers.get(number) !== consumer) return;
    if (number === this.#live) {
      this.#onFatal(error);
      return;
    }
    this.#consumers.delete(number);
    this.#recordFailure(number, error);
    void consumer.stop().catch(() => undefined);
  }

  #recordFailure(number: number, error: Error): void {
    const reason = failureReason(error);
    if (this.#failures.get(number)?.reason !== reason)
      this.#context.log.error({ err: error, generation: number }, 'a generation has no consumer');
    const retryAfter = error instanceof UnusableIndexError ? this.#inspectEvery : RETRY_AFTER_MS;
    this.#failures.set(number, { reason, at: performance.now(), retryAfter });
  }

  /**
   * The reasons why this projector is not ready. The list is empty if every generation that needs a consumer
   * in this process has one. During a rollout of new versions, a projector may be ready without any consumer.
   */
  reasons(): string[] {
    const named = (number: number, reason: string) =>
      number === this.#live ? reason : `generation ${number}: ${reason}`;
    const hasNotStarted = this.#consumers.size === 0 && this.#failures.size === 0 && !this.#rollout;
    return [
      ...(hasNotStarted ? ['the projector has not started to write any generation yet'] : []),
      ...(this.#rollout && this.#rollout.state !== 'idle' ? [this.#rollout.text] : []),
      ...[...this.#failures].map(([number, { reason }]) => named(number, reason)),
      ...[...this.#consumers].flatMap(([number, consumer]) =>
        [...consumer.reasons(), ...this.#indices.notes(number)].map((reason) => named(number, reason)),
      ),
    ];
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#consumers.values()].map((consumer) => consumer.stop()));
  }
}
