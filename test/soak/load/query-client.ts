import { setTimeout as sleep } from 'node:timers/promises';
import { BOUNDS_MS, type Ledger, type RequestClass } from '../checks/ledger.ts';
import type { Failure } from '../plan/windows.ts';

/** A query service as its load balancer sees it. */
export interface QueryTarget {
  readonly number: number;
  readonly origin: string;
  readonly isReady: boolean;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A request. `judge` finds a failure that the status does not show. */
export interface Request {
  readonly headers?: Record<string, string>;
  /** Makes the request a POST. */
  readonly body?: string;
  readonly judge?: (text: string) => Failure | undefined;
}

const RETRY_MS = 500;
/** Statuses that are a correct response to a correct request. */
const EXPECTED = new Set([200, 304]);

/** Sends requests to the ready query services in turn, and reports each to the ledger. */
export class QueryClient {
  readonly #targets: readonly QueryTarget[];
  readonly #ledger: Ledger;
  readonly #signal: AbortSignal;
  #turn = 0;

  constructor(targets: readonly QueryTarget[], ledger: Ledger, signal: AbortSignal) {
    this.#targets = targets;
    this.#ledger = ledger;
    this.#signal = signal;
  }

  /** The next ready service. @throws the signal's reason */
  async target(): Promise<QueryTarget> {
    for (;;) {
      this.#signal.throwIfAborted();
      for (let i = 0; i < this.#targets.length; i++) {
        const target = this.#targets[this.#turn++ % this.#targets.length] as QueryTarget;
        if (target.isReady) return target;
      }
      await sleep(RETRY_MS);
    }
  }

  /** Requests a path until a service responds with 200 or 304. @throws the signal's reason */
  async get(name: RequestClass, path: string, request: Request = {}): Promise<HttpResponse> {
    for (;;) {
      const target = await this.target();
      const outcome = await this.#attempt(target, name, path, request);
      if ('text' in outcome) return outcome;
      this.#signal.throwIfAborted();
      await sleep(RETRY_MS);
    }
  }

  async #attempt(
    { number, origin }: QueryTarget,
    name: RequestClass,
    path: string,
    { headers = {}, body, judge }: Request,
  ): Promise<HttpResponse | { failure: Failure }> {
    const from = performance.now();
    const report = (failure?: Failure) => {
      const time = { service: number, from, to: performance.now(), isExport: name === 'export' };
      this.#ledger.record(name, time, path, failure);
    };
    const bound = AbortSignal.timeout(BOUNDS_MS[name]);
    try {
      const signal = AbortSignal.any([bound, this.#signal]);
      const response = await fetch(`${origin}${path}`, {
        headers,
        signal,
        ...(body && { method: 'POST', body }),
      });
      const text = await response.text();
      const hidden = EXPECTED.has(response.status) ? judge?.(text) : undefined;
      if (EXPECTED.has(response.status) && hidden === undefined) {
        report();
        return { status: response.status, headers: response.headers, text };
      }
      const retryAfter = response.headers.get('retry-after');
      const failure = hidden ?? ({ kind: 'status', status: response.status, retryAfter } as const);
      report(failure);
      return { failure };
    } catch {
      this.#signal.throwIfAborted();
      const failure: Failure = { kind: bound.aborted ? 'timeout' : 'connection' };
      report(failure);
      return { failure };
    }
  }
}
