import { STATUS_CODES } from 'node:http';
import type { BadParameter } from './feed-parameters.ts';

export const PROBLEM_TYPE = 'application/problem+json';

/** What every response carries, also those made outside of Koa: any page may read them, and none is sniffed. */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, Retry-After',
  'X-Content-Type-Options': 'nosniff',
};

/** A request that is refused, with what its client is told; nothing else of an error ever leaves the service. */
export class Problem extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly errors: BadParameter[] | undefined;

  constructor(status: number, detail: string, more: { headers?: Record<string, string>; errors?: BadParameter[]; cause?: unknown } = {}) {
    super(detail, { cause: more.cause });
    this.name = 'Problem';
    this.status = status;
    this.headers = more.headers ?? {};
    this.errors = more.errors;
  }

  /** The problem details document, as JSON. RFC 9457 §3. */
  get body(): string {
    const { status, message: detail, errors } = this;
    return JSON.stringify({ type: 'about:blank', title: STATUS_CODES[status], status, detail, ...(errors && { errors }) });
  }
}
