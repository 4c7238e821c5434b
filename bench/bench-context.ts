import type { Client } from '@elastic/elasticsearch';
import type { Engines } from '@vitrine/engines';
import { startService } from '@vitrine/test/service-process';
import { createEventsTopic, type EventsTopic } from './events-topic.ts';
import { get, HttpConnection } from './http-connection.ts';
import { type LoadOptions, type LoadResult, load } from './load.ts';
import type { PostgresDataset } from './peers/postgres-dataset.ts';
import type { Row } from './results.ts';
import type { SharedData } from './shared-data.ts';
import { logEnd, type ServiceSubject, type Subject, startPeer, startSubject } from './subjects.ts';
import { StepError, TimeLimitError, within } from './time-limit.ts';

/**
 * The service caches no pages, so each request searches. As by default, requests share totals and counts for
 * 5 s.
 */
export const UNCACHED: Record<string, string> = { CACHE_BYTES: '0' };
/**
 * The service caches and shares nothing, so each request costs as much as the first request after a pause.
 */
export const NOTHING_SHARED: Record<string, string> = { CACHE_BYTES: '0', CACHE_FRESH_SECONDS: '0' };

const RELEASE_LIMIT_MS = 20_000;

/**
 * The bench's interface for one part. When the part completes, fails, exceeds its time limit or is
 * interrupted, the context ends its subjects, connections, topics and indices. Therefore, parts do not clean
 * up.
 */
export class BenchContext {
  /** The number of items in the run's dataset. A part may request a dataset of another size. */
  readonly items: number;
  readonly engines: Engines;
  readonly elasticsearch: Client;
  /** Other checkouts of the repository that the `compare` part measures. */
  readonly checkouts: readonly string[];
  /** Aborts when the part ends for any reason. Every loop of a part must check this signal. */
  readonly signal: AbortSignal;
  readonly rows: Row[] = [];
  readonly figures: Record<string, unknown> = {};
  readonly notRun: string[] = [];
  readonly #shared: SharedData;
  readonly #over = new AbortController();
  readonly #releases: (() => unknown)[] = [];
  readonly #tell: (message: string) => void;

  constructor(shared: SharedData, interruption: AbortSignal, tell: (message: string) => void) {
    this.items = shared.items;
    this.engines = shared.engines;
    this.elasticsearch = shared.elasticsearch;
    this.checkouts = shared.checkouts;
    this.signal = AbortSignal.any([interruption, this.#over.signal]);
    this.#shared = shared;
    this.#tell = tell;
  }

  get elasticsearchPort(): number {
    return Number(new URL(this.engines.settings.ELASTICSEARCH_URL).port);
  }

  /** The process id of Elasticsearch. @throws if the bench has not started it */
  get elasticsearchPid(): number {
    const pid = this.engines.elasticsearch?.pid;
    if (pid === undefined)
      throw new Error('the part reads the CPU time of Elasticsearch, so the bench must have started it');
    return pid;
  }

  /** Prints a line of progress. */
  tell(message: string): void {
    this.#tell(message);
  }

  /**
   * Stores table rows and measurements at once, so that a failure in a later step does not lose them.
   */
  report(rows: readonly Row[], figures: Readonly<Record<string, unknown>>): void {
    this.rows.push(...rows);
    Object.assign(this.figures, figures);
  }

  /**
   * Prints the name of the step, and runs the step within a time limit.
   * @throws StepError with the name of the step
   */
  async step<T>(name: string, limitSeconds: number, work: () => Promise<T>): Promise<T> {
    this.tell(name);
    try {
      return await within(name, limitSeconds * 1_000, this.signal, work);
    } catch (error) {
      this.signal.throwIfAborted();
      if (error instanceof TimeLimitError || error instanceof StepError) throw error;
      throw new StepError(`${name}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  }

  /**
   * Returns the Elasticsearch index prefix for the dataset of this size. The first use indexes the dataset.
   */
  dataset(count: number, days?: number): Promise<string> {
    return this.step(`dataset of ${count} items`, 120 + count / 300, () => this.#shared.dataset(count, days));
  }

  /** Returns the index prefix for the market of this number of listings. The first use indexes the market. */
  market(count: number): Promise<string> {
    return this.step(`market of ${count} listings`, 120 + count / 200, () => this.#shared.market(count));
  }

  /** Returns the index prefix for the market of expensive listings. The first use indexes it. */
  hostileMarket(): Promise<string> {
    return this.step('market of expensive listings', 180, () => this.#shared.hostileMarket());
  }

  /**
   * Returns the dataset in PostgreSQL, or the reason why PostgreSQL is not available. The first use fills the
   * dataset.
   */
  postgres(): Promise<PostgresDataset | string> {
    return this.step('dataset in PostgreSQL', 120 + this.items / 300, () => this.#shared.postgres());
  }

  /**
   * Starts the query service on a dataset. Its rate limit is active but so high that no part reaches it.
   * @param root the repository whose code runs; by default, this repository
   */
  query(prefix: string, env: Readonly<Record<string, string>> = {}, root?: string): Promise<ServiceSubject> {
    const all = { ...this.#shared.queryEnv, INDEX_PREFIX: prefix, ...env };
    return this.#started(startSubject('query', all, this.signal, root));
  }

  projector(env: Readonly<Record<string, string>>): Promise<ServiceSubject> {
    return this.#started(startSubject('projector', env, this.signal));
  }

  ingest(env: Readonly<Record<string, string>>): Promise<ServiceSubject> {
    return this.#started(startSubject('ingest', env, this.signal));
  }

  /** The settings of a deployment that uses this name for its topic, its group and its indices. */
  deployment(name: string) {
    return {
      ...this.engines.settings,
      LISTING_EVENTS_TOPIC: name,
      INDEX_PREFIX: name,
      CONSUMER_GROUP: name,
    };
  }

  /** Starts a program in this folder that listens on PORT. */
  peer(file: string, env: Readonly<Record<string, string>>): Promise<Subject> {
    return this.#started(startPeer(file, env, this.signal));
  }

  /** Runs an operator command to its end. @throws if its exit code is not 0 */
  async command(env: Readonly<Record<string, string>>, args: readonly string[]): Promise<void> {
    this.signal.throwIfAborted();
    const program = startService('cli', { LOG_LEVEL: 'error', ...env }, args);
    this.onEnd(() => program.stop());
    const code = await program.exited;
    if (code !== 0) throw new Error(`${args.join(' ')}: exit code ${code}: ${logEnd(program)}`);
  }

  /** Opens a keep-alive connection to a port of this machine. */
  connect(port: number): HttpConnection {
    const connection = new HttpConnection(port);
    this.onEnd(() => connection.close());
    return connection;
  }

  load(options: Omit<LoadOptions, 'signal'>): Promise<LoadResult> {
    return load({ ...options, signal: this.signal });
  }

  async eventsTopic(name: string): Promise<EventsTopic> {
    const topic = await createEventsTopic(this.engines.settings.KAFKA_BROKERS, name, this.signal);
    this.onEnd(() => topic.close());
    return topic;
  }

  /** Deletes the matching indices at the end of the part. */
  ownIndices(pattern: string): void {
    this.onEnd(() => this.deleteIndices(pattern));
  }

  deleteIndices(pattern: string): Promise<void> {
    return this.#shared.deleteIndices(pattern);
  }

  /**
   * Registers a function for the end of the part. The functions run in the reverse order of registration.
   */
  onEnd(release: () => unknown): void {
    this.#releases.push(release);
  }

  /**
   * Ends the part. If a registered function fails, the context reports the error, and still runs the other
   * functions.
   */
  async end(): Promise<void> {
    this.#over.abort(new Error('the part has ended'));
    for (const release of this.#releases.splice(0).reverse()) {
      await within('clean-up', RELEASE_LIMIT_MS, new AbortController().signal, async () => release()).catch(
        (error: Error) => this.tell(error.message),
      );
    }
  }

  /** Stops a subject at once if it becomes ready only after the end of its part. */
  async #started<S extends Subject>(starting: Promise<S>): Promise<S> {
    const subject = await starting;
    if (this.#over.signal.aborted) await subject.stop();
    else this.onEnd(() => subject.stop());
    this.signal.throwIfAborted();
    return subject;
  }
}

/** The number of items in the feed, according to its `meta.total`. */
export async function totalOf(port: number): Promise<number> {
  const connection = new HttpConnection(port);
  const { body } = await connection
    .send(get('/api/public-feed?pageSize=1'))
    .finally(() => connection.close());
  return (JSON.parse(body.toString()) as { meta: { total: number } }).meta.total;
}
