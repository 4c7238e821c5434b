import { describeVersions, type GenerationRecord, generationNames, type Registry, sameVersions } from '@vitrine/feed-index';
import {
  checkIndices,
  type FeedSurroundings,
  type GenerationFeed,
  groupOf,
  prepareStart,
  type Roles,
  readRegistry,
  readRoles,
  startFeed,
  UnusableIndexError,
  versionsWith,
} from '@vitrine/projection';
import { showGenerations } from './generation-gauges.ts';

/** Delay until a failed feed starts again. It applies only to generations that are not live. */
const RETRY_FEED_MS = 60_000;

/**
 * The feeds of this process: one per ready generation that was built with this code's versions, whether live
 * or not. A feed starts when the registry lists its generation and stops when the generation is pruned.
 */
export class GenerationFeeds {
  readonly #surroundings: FeedSurroundings;
  readonly #onFatal: (error: Error) => void;
  readonly #feeds = new Map<number, GenerationFeed>();
  /** Generation number -> the reason why it is not fed. */
  readonly #troubles = new Map<number, { reason: string; at: number }>();
  #live: number | undefined;
  #unspoken: string[] = [];

  /** @param onFatal called when the live generation can no longer be fed */
  constructor(surroundings: FeedSurroundings, onFatal: (error: Error) => void) {
    this.#surroundings = surroundings;
    this.#onFatal = onFatal;
  }

  /**
   * Starts and stops feeds according to the registry. The caller repeats it, but never concurrently.
   * @param signal ends the requests to Elasticsearch
   * @throws the error that prevents the live generation from being fed; the client's errors
   */
  async reconcile(signal: AbortSignal): Promise<void> {
    const { client, settings } = this.#surroundings;
    const prefix = settings.INDEX_PREFIX;
    const [registry, roles] = await Promise.all([readRegistry(client, prefix, signal), readRoles(client, prefix, signal)]);
    if (!registry || signal.aborted) return;
    this.#live = roles.live;
    showGenerations(this.#surroundings.metrics, registry, roles, Date.now());
    const wanted = this.#wanted(registry, roles);
    for (const [number, feed] of this.#feeds)
      if (!wanted.some((record) => record.number === number)) {
        this.#surroundings.log.info({ generation: number }, 'no longer projecting');
        this.#feeds.delete(number);
        await feed.stop();
      }
    for (const number of this.#troubles.keys()) if (!wanted.some((record) => record.number === number)) this.#troubles.delete(number);
    for (const record of wanted) if (!this.#feeds.has(record.number)) await this.#start(record, roles);
  }

  #wanted({ generations }: Registry, { live, former }: Roles): GenerationRecord[] {
    const ours = versionsWith(this.#surroundings.rules);
    // An interrupted prune may have marked the live generation. It is fed nevertheless.
    const ready = generations.filter(({ phase, number }) => phase === 'ready' || (phase === 'pruning' && number === live));
    const [spoken, unspoken] = [
      ready.filter(({ versions }) => sameVersions(versions, ours)),
      ready.filter(({ versions }) => !sameVersions(versions, ours)),
    ];
    const reasons = unspoken
      .filter(({ number }) => number === live || (spoken.length === 0 && number !== former))
      .map(
        ({ number, versions }) =>
          `generation ${number} was built with ${describeVersions(versions)}, this projector has ${describeVersions(ours)}: keep an older one running, and replay`,
      );
    // An upgrade in place ends here: without this line, the log of the new projector would be empty.
    for (const reason of reasons)
      if (!this.#unspoken.includes(reason)) this.#surroundings.log.warn({ reason }, 'a generation of other versions is not fed');
    this.#unspoken = reasons;
    return spoken;
  }

  async #start(record: GenerationRecord, { live }: Roles): Promise<void> {
    const { number } = record;
    const { client, settings, log, rules } = this.#surroundings;
    const trouble = this.#troubles.get(number);
    if (trouble && Date.now() - trouble.at < RETRY_FEED_MS) return;
    try {
      await checkIndices(client, generationNames(settings.INDEX_PREFIX, number), versionsWith(rules));
      await prepareStart(this.#surroundings, record, groupOf(settings.CONSUMER_GROUP, number));
      const feed = await startFeed(this.#surroundings, number);
      this.#feeds.set(number, feed);
      this.#troubles.delete(number);
      void feed.failed.then((error) => this.#onFailed(feed, error));
    } catch (error) {
      // A lost index does not come back. The projector reports it and waits for a replay that builds another
      // generation.
      if (number === live && !(error instanceof UnusableIndexError)) throw error;
      this.#trouble(number, error as Error);
      log.error({ err: error, generation: number }, 'a generation cannot be fed');
    }
  }

  #onFailed(feed: GenerationFeed, error: Error): void {
    const { number } = feed.generation;
    if (this.#feeds.get(number) !== feed) return;
    if (number === this.#live) {
      this.#onFatal(error);
      return;
    }
    this.#surroundings.log.error({ err: error, generation: number }, 'a generation that is not live is no longer fed');
    this.#feeds.delete(number);
    this.#trouble(number, error);
    void feed.stop().catch(() => undefined);
  }

  #trouble(number: number, error: Error): void {
    this.#troubles.set(number, { reason: error.message, at: Date.now() });
  }

  /** The reasons why this process does not feed a generation that it should feed. Empty if there are none. */
  reasons(): string[] {
    const named = (number: number, reason: string) => (number === this.#live ? reason : `generation ${number}: ${reason}`);
    const isIdle = this.#feeds.size === 0 && this.#troubles.size === 0 && this.#unspoken.length === 0;
    return [
      ...(isIdle ? ['no generation is fed yet'] : []),
      ...this.#unspoken,
      ...[...this.#troubles].map(([number, { reason }]) => named(number, reason)),
      ...[...this.#feeds].flatMap(([number, feed]) => feed.reasons().map((reason) => named(number, reason))),
    ];
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#feeds.values()].map((feed) => feed.stop()));
  }
}
