import { describeVersions, type GenerationRecord, generationNames, type Registry } from '@vitrine/feed-index';
import {
  checkIndices,
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
  versionsWith,
} from '@vitrine/projection/generations';
import { showGenerations } from './generation-gauges.ts';

/** Delay before a failed consumer restarts. Applies only to generations that are not live. */
const RETRY_AFTER_MS = 60_000;

/**
 * Runs one consumer for each ready generation, live or not, whose versions this code writes. A consumer
 * starts when the registry lists its generation as ready, and stops when an operator prunes the generation.
 */
export class GenerationSupervisor {
  readonly #context: ProjectorContext;
  readonly #onFatal: (error: Error) => void;
  readonly #consumers = new Map<number, GenerationConsumer>();
  /** Generation number -> the reason why the generation has no consumer. */
  readonly #failures = new Map<number, { reason: string; at: number }>();
  #live: number | undefined;
  #otherVersions: string[] = [];

  /** @param onFatal called when the consumer of the live generation cannot continue */
  constructor(context: ProjectorContext, onFatal: (error: Error) => void) {
    this.#context = context;
    this.#onFatal = onFatal;
  }

  /**
   * Starts and stops consumers according to the registry. The caller repeats this call, but must not make
   * concurrent calls.
   * @param signal ends the requests to Elasticsearch
   * @throws the error that prevents the start of the live generation's consumer; the client's errors
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
    const wanted = this.#wanted(registry, roles);
    for (const [number, consumer] of this.#consumers)
      if (!wanted.some((record) => record.number === number)) {
        this.#context.log.info({ generation: number }, 'stopping the consumer of a generation');
        this.#consumers.delete(number);
        await consumer.stop();
      }
    for (const number of this.#failures.keys())
      if (!wanted.some((record) => record.number === number)) this.#failures.delete(number);
    for (const record of wanted) if (!this.#consumers.has(record.number)) await this.#start(record, roles);
  }

  #wanted({ generations }: Registry, { live, previous }: Roles): GenerationRecord[] {
    const ours = versionsWith(this.#context.rules);
    // An interrupted prune may have marked the live generation, which still needs a consumer.
    const ready = generations.filter(
      ({ phase, number }) => phase === 'ready' || (phase === 'pruning' && number === live),
    );
    const [writable, otherVersions] = [
      ready.filter(({ versions }) => isWritable(versions, this.#context.rules)),
      ready.filter(({ versions }) => !isWritable(versions, this.#context.rules)),
    ];
    const reasons = otherVersions
      .filter(({ number }) => number === live || (writable.length === 0 && number !== previous))
      .map(
        ({ number, versions }) =>
          `generation ${number} was built with ${describeVersions(versions)}, but this projector has ` +
          `${describeVersions(ours)}. Keep an older projector running, and replay`,
      );
    // After an upgrade in place, the new projector would otherwise log no reason for its inactivity.
    for (const reason of reasons)
      if (!this.#otherVersions.includes(reason))
        this.#context.log.warn(
          { reason },
          'this projector does not write a generation that was built with other versions',
        );
    this.#otherVersions = reasons;
    return writable;
  }

  async #start(record: GenerationRecord, { live }: Roles): Promise<void> {
    const { number } = record;
    const { client, settings, log } = this.#context;
    const failure = this.#failures.get(number);
    if (failure && Date.now() - failure.at < RETRY_AFTER_MS) return;
    try {
      await checkIndices(client, generationNames(settings.INDEX_PREFIX, number), record.versions);
      await prepareStart(this.#context, record, groupOf(settings.CONSUMER_GROUP, number));
      const consumer = await startGenerationConsumer(this.#context, record);
      this.#consumers.set(number, consumer);
      this.#failures.delete(number);
      void consumer.failed.then((error) => this.#onFailed(consumer, error));
    } catch (error) {
      // A lost index does not return on its own. The projector reports the loss, and waits for a replay that
      // builds a new generation.
      if (number === live && !(error instanceof UnusableIndexError)) throw error;
      this.#recordFailure(number, error as Error);
      log.error({ err: error, generation: number }, 'could not start the consumer of a generation');
    }
  }

  #onFailed(consumer: GenerationConsumer, error: Error): void {
    const { number } = consumer.generation;
    if (this.#consumers.get(number) !== consumer) return;
    if (number === this.#live) {
      this.#onFatal(error);
      return;
    }
    this.#context.log.error(
      { err: error, generation: number },
      'the consumer of a generation that is not live failed, and restarts after a delay',
    );
    this.#consumers.delete(number);
    this.#recordFailure(number, error);
    void consumer.stop().catch(() => undefined);
  }

  #recordFailure(number: number, error: Error): void {
    this.#failures.set(number, { reason: error.message, at: Date.now() });
  }

  /**
   * The reasons why a generation that needs a consumer has no consumer in this process. Empty if no consumer
   * is missing.
   */
  reasons(): string[] {
    const named = (number: number, reason: string) =>
      number === this.#live ? reason : `generation ${number}: ${reason}`;
    const isIdle =
      this.#consumers.size === 0 && this.#failures.size === 0 && this.#otherVersions.length === 0;
    return [
      ...(isIdle ? ['the projector has not started to write any generation yet'] : []),
      ...this.#otherVersions,
      ...[...this.#failures].map(([number, { reason }]) => named(number, reason)),
      ...[...this.#consumers].flatMap(([number, consumer]) =>
        consumer.reasons().map((reason) => named(number, reason)),
      ),
    ];
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#consumers.values()].map((consumer) => consumer.stop()));
  }
}
