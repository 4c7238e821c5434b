import type { Client } from '@elastic/elasticsearch';
import type { Engines } from '@vitrine/engines';
import { startScript } from './child-programs.ts';
import { createEventsTopic, type EventsTopic } from './events-topic.ts';
import { get, HttpConnection } from './http-connection.ts';
import { type LoadOptions, type LoadResult, load } from './load.ts';
import type { PostgresDataset } from './peers/postgres-dataset.ts';
import type { Row } from './results.ts';
import type { SharedData } from './shared-data.ts';
import { type ServiceSubject, type Subject, startPeer, startService } from './subjects.ts';
import { StepError, TimeLimitError, within } from './time-limit.ts';

/**
 * No page is cached, so each request searches. Totals and counts are shared between requests for 5 s, as by
 * default.
 */
export const UNCACHED: Record<string, string> = { CACHE_BYTES: '0' };
/** Nothing is cached or shared, so each request costs as much as the first request after a pause. */
export const NOTHING_SHARED: Record<string, string> = { CACHE_BYTES: '0', CACHE_FRESH_SECONDS: '0' };

const RELEASE_LIMIT_MS = 20_000;

/**
 * One part's view of the bench. The part's subjects, connections, topics and indices end with the part,
 * whether it completes, fails, exceeds its time limit or is interrupted. Therefore, parts do not clean up.
 */
export class BenchContext {
  /** Number of items of the dataset, unless a part needs another size. */
  readonly items: number;
  readonly engines: Engines;
  readonly elasticsearch: Client;
  /** Aborts when the part is over, however it ended. Loops of a part must check this signal. */
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
    this.signal = AbortSignal.any([interruption, this.#over.signal]);
    this.#shared = shared;
    this.#tell = tell;
  }

  get elasticsearchPort(): number {
    return Number(new URL(this.engines.settings.ELASTICSEARCH_URL).port);
  }

  /** Prints a line of progress. */
  tell(message: string): void {
    this.#tell(message);
  }

  /** Keeps rows of the table and figures, so that they survive a failure of a later step. */
  report(rows: readonly Row[], figures: Readonly<Record<string, unknown>>): void {
    this.rows.push(...rows);
    Object.assign(this.figures, figures);
  }

  /**
   * Runs a step of the part within a time limit, and prints its name first.
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

  /** The dataset of this size in Elasticsearch, indexed on first use; returns its index prefix. */
  dataset(count: number, days?: number): Promise<string> {
    return this.step(`dataset of ${count} items`, 120 + count / 300, () => this.#shared.dataset(count, days));
  }

  /** The dataset in PostgreSQL, filled on first use; or the reason why there is none. */
  postgres(): Promise<PostgresDataset | string> {
    return this.step('dataset in PostgreSQL', 120 + this.items / 300, () => this.#shared.postgres());
  }

  /** The query service over a dataset. Its rate limit is active, but too high to be reached. */
  query(prefix: string, env: Readonly<Record<string, string>> = {}): Promise<ServiceSubject> {
    return this.#started(
      startService('query', { ...this.#shared.queryEnv, INDEX_PREFIX: prefix, ...env }, this.signal),
    );
  }

  projector(env: Readonly<Record<string, string>>): Promise<ServiceSubject> {
    return this.#started(startService('projector', env, this.signal));
  }

  /** A program of this folder that listens on PORT. */
  peer(file: string, env: Readonly<Record<string, string>>): Promise<Subject> {
    return this.#started(startPeer(file, env, this.signal));
  }

  /** Runs a command of the operator's command line to its end. @throws unless its exit code is 0 */
  async command(env: Readonly<Record<string, string>>, args: readonly string[]): Promise<void> {
    this.signal.throwIfAborted();
    const program = startScript('cli', { LOG_LEVEL: 'error', ...env }, args);
    this.onEnd(() => program.stop());
    const code = await program.exited;
    if (code !== 0) throw new Error(`${args.join(' ')}: exit code ${code}: ${program.log()}`);
  }

  /** A keep-alive connection to a port of this machine. */
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

  /** Registers work for the end of the part. The last registered runs first. */
  onEnd(release: () => unknown): void {
    this.#releases.push(release);
  }

  /** Ends the part. A failed release is reported and does not keep the others from running. */
  async end(): Promise<void> {
    this.#over.abort(new Error('the part has ended'));
    for (const release of this.#releases.splice(0).reverse()) {
      await within('clean-up', RELEASE_LIMIT_MS, new AbortController().signal, async () => release()).catch(
        (error: Error) => this.tell(error.message),
      );
    }
  }

  /** A subject that is ready after the end of its part is stopped at once. */
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
