import { setTimeout as sleep } from 'node:timers/promises';
import { errors } from '@elastic/elasticsearch';
import { KafkaError } from '@vitrine/kafka';
import { ElasticsearchUnavailableError } from '@vitrine/projection/store';
import { SampleRings, sampleOf } from '../history/status-samples.ts';
import { ProgressRate, type ProgressView } from '../progress-rate.ts';
import type { Engine, HealthProblem } from '../status/health-problem.ts';
import type { Status } from '../status/status.ts';
import { type LastingHealth, lastingHealth } from './lasting-health.ts';

/** A source for the status, which holds connections to both engines. */
export interface StatusSource {
  read(): Promise<Status>;
  close(): Promise<void>;
}

export interface WatchedStatus {
  /** The latest status, which is absent until the first successful poll. */
  status?: Status;
  /** The time of the status in epoch milliseconds. */
  at?: number;
  /** What needs attention now. While the status cannot be read, the list contains only this fact. */
  health: readonly HealthProblem[];
  /** The reason why the last poll failed, and when the first failed poll began, in epoch milliseconds. */
  failing?: { message: string; since: number; engine?: Engine };
}

const POLL_EVERY_MS = 2_000;
/** The interval between polls while no browser is watching. The charts then have fewer points. */
const IDLE_EVERY_MS = 10_000;
const IDLE_AFTER_MS = 30_000;
/** If a poll takes longer than this, the page says so. The requests to Elasticsearch end after 10 s. */
const SLOW_AFTER_MS = 12_000;

/**
 * Polls the status for all browsers. After a failure, it connects again, because a client may not recover
 * from a lost broker.
 */
export class StatusWatch {
  readonly samples = new SampleRings();
  readonly #open: () => Promise<StatusSource>;
  readonly #stopped = new AbortController();
  readonly #ended: Promise<void>;
  readonly #rate = new ProgressRate();
  #status: { status: Status; at: number; rebuild?: ProgressView } | undefined;
  #failing: WatchedStatus['failing'];
  #health: LastingHealth = { problems: [] };
  #pollingSince: number | undefined;
  #source: StatusSource | undefined;
  #readAt = Date.now();
  #wake = new AbortController();

  /** @param open connects to both engines */
  constructor(open: () => Promise<StatusSource>) {
    this.#open = open;
    this.#ended = this.#keepPolling();
  }

  /** The latest status. Reading it keeps the polls frequent. */
  get watched(): WatchedStatus {
    const wasIdle = Date.now() - this.#readAt > IDLE_AFTER_MS;
    this.#readAt = Date.now();
    if (wasIdle) this.pollSoon();
    return {
      ...(this.#status && { status: this.#status.status, at: this.#status.at }),
      ...(this.#failing && { failing: this.#failing }),
      health: this.#problems(),
    };
  }

  /** The progress of a running rebuild according to its builders' reports, with its rate. */
  get rebuild(): ProgressView | undefined {
    return this.#status?.rebuild;
  }

  /** Polls without waiting for the next turn, because something has changed. */
  pollSoon(): void {
    this.#wake.abort();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#ended;
  }

  #problems(): readonly HealthProblem[] {
    const since = this.#pollingSince;
    if (this.#failing) return [outage(this.#failing)];
    const isSlow = since !== undefined && Date.now() - since > SLOW_AFTER_MS;
    return isSlow ? [{ code: 'status-slow', level: 'bad', since }] : this.#health.problems;
  }

  async #keepPolling(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      this.#wake = new AbortController();
      const { signal: wake } = this.#wake;
      await this.#poll();
      const isIdle = Date.now() - this.#readAt > IDLE_AFTER_MS;
      await sleep(isIdle ? IDLE_EVERY_MS : POLL_EVERY_MS, undefined, {
        signal: AbortSignal.any([signal, wake]),
      }).catch(() => undefined);
    }
    await this.#disconnect();
  }

  async #poll(): Promise<void> {
    const began = Date.now();
    this.#pollingSince = began;
    try {
      this.#source ??= await this.#open();
      const status = await this.#source.read();
      const at = Date.now();
      const { phase = '', done, total } = status.running ?? {};
      const isMeasured = done !== undefined && total !== undefined;
      this.#status = {
        status,
        at,
        ...(isMeasured && { rebuild: this.#rate.report(phase, done, total) }),
      };
      this.#health = lastingHealth(this.#health, status, at);
      this.#failing = undefined;
      this.samples.add(sampleOf(status, at));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const engine = engineOf(error);
      this.#failing = { message, since: this.#failing?.since ?? began, ...(engine && { engine }) };
      this.samples.interrupt();
      await this.#disconnect();
    } finally {
      this.#pollingSince = undefined;
    }
  }

  async #disconnect(): Promise<void> {
    const source = this.#source;
    this.#source = undefined;
    await source?.close().catch(() => undefined);
  }
}

function outage({
  message,
  since,
  engine,
}: NonNullable<WatchedStatus['failing']>): HealthProblem & { since: number } {
  return engine
    ? { code: 'engine-silent', level: 'bad', engine, message, since }
    : { code: 'status-unreadable', level: 'bad', message, since };
}

/** The engine that did not respond. A refusal is also a response. */
function engineOf(error: unknown): Engine | undefined {
  if (!(error instanceof Error) || error instanceof errors.ResponseError) return undefined;
  if (error instanceof errors.ElasticsearchClientError || error instanceof ElasticsearchUnavailableError)
    return 'elasticsearch';
  if (error instanceof KafkaError) return error.code === undefined ? 'kafka' : undefined;
  return engineOf(error.cause);
}
