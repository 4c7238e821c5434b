/** The service cannot respond now: it temporarily refused the request, or the connection failed. */
export class FeedUnavailableError extends Error {
  override readonly name = 'FeedUnavailableError';
  /** The delay before the next attempt, in milliseconds. */
  readonly retryAfterMs: number;
  readonly hasResponded: boolean;

  constructor(message: string, retryAfterMs: number, hasResponded: boolean) {
    super(message);
    this.retryAfterMs = retryAfterMs;
    this.hasResponded = hasResponded;
  }
}

/** The service no longer keeps the changes after this number (410). */
export class ChangesExpiredError extends Error {
  override readonly name = 'ChangesExpiredError';
}

/** An entry of `/changes` (docs/reference/rules.md#changes). */
export interface FollowedChange {
  state: 'updated' | 'deleted';
  id: string;
  /** The change number. */
  modified: number;
  /** The item, which is absent if it is no longer in the feed. */
  data?: { title?: unknown; price?: unknown };
}

export interface ChangesPage {
  items: FollowedChange[];
  /** The change number after which the next page begins. */
  next: number;
}

/**
 * A response from `/export`, which may be cut short without an error
 * (docs/decisions/0089-end-of-an-export.md).
 */
export interface ExportPart {
  /** The lines of items, or undefined if the service states that no item follows. */
  body: AsyncIterable<Uint8Array> | undefined;
  /** The change number at which the client continues. */
  changeNumber: number;
}

const RETRY_AFTER_MS = 1_000;
const MAX_RETRY_AFTER_MS = 30_000;
const CHANGE_NUMBER = /[?&]afterChangeNumber=(\d{1,16})(?:&|$)/;

/** Reads a query service's changes and export over HTTP. */
export class FeedClient {
  readonly base: string;
  readonly #signal: AbortSignal;
  readonly #retryAfterMs: number;

  /**
   * @param base URL of the feeds without a trailing slash, such as `https://example.com/api`
   * @param retryAfterMs the delay after a failure without `Retry-After`
   */
  constructor(base: string, signal: AbortSignal, retryAfterMs = RETRY_AFTER_MS) {
    this.base = base;
    this.#signal = signal;
    this.#retryAfterMs = retryAfterMs;
  }

  /** Reads the changes after a change number. @throws FeedUnavailableError, ChangesExpiredError, Error */
  async changes(after: number, limit: number): Promise<ChangesPage> {
    const response = await this.#request(`/changes?afterChangeNumber=${after}&limit=${limit}`);
    const { items, next } = (await this.#bodyOf(response)) as { items?: FollowedChange[]; next?: string };
    const [, number] = CHANGE_NUMBER.exec(next ?? '') ?? [];
    if (!Array.isArray(items) || number === undefined) throw unexpected(response);
    return { items, next: Number(number) };
  }

  /**
   * Returns the change number after which a client that starts now continues.
   * @throws FeedUnavailableError, Error
   */
  async currentChange(): Promise<number> {
    return continuation(await this.#request('/export', 'HEAD'));
  }

  /**
   * Requests the export after an id.
   * @throws FeedUnavailableError, Error
   */
  async export(after: string | undefined): Promise<ExportPart> {
    const query = after === undefined ? '' : `?after=${encodeURIComponent(after)}`;
    const response = await this.#request(`/export${query}`);
    const changeNumber = continuation(response);
    // Only an empty response from the service states its length. A response that was cut short does not.
    if (response.headers.get('content-length') === '0') return { body: undefined, changeNumber };
    if (!response.body) throw unexpected(response);
    return { body: this.#unlessBroken(response.body), changeNumber };
  }

  /** The failure of an export whose response ended without an item. */
  cutShort(): FeedUnavailableError {
    return new FeedUnavailableError('the transfer ended before the next item', this.#retryAfterMs, true);
  }

  /** The number of items in the feed. @throws FeedUnavailableError, Error */
  async total(): Promise<number> {
    const response = await this.#request('/public-feed');
    const { meta } = (await this.#bodyOf(response)) as { meta?: { total?: number } };
    if (typeof meta?.total !== 'number') throw unexpected(response);
    return meta.total;
  }

  async #request(path: string, method = 'GET'): Promise<Response> {
    const url = `${this.base}${path}`;
    const response = await fetch(url, { method, signal: this.#signal }).catch((error: Error) => {
      throw this.#failure(`${this.base} does not respond`, error);
    });
    const { status } = response;
    if (response.ok) return response;
    const reason = `${url} returned ${status}${await detailOf(response)}`;
    if (status === 410) throw new ChangesExpiredError(reason);
    if (status !== 429 && status < 500) throw new Error(reason);
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    const retryAfterMs = seconds > 0 ? Math.min(seconds * 1_000, MAX_RETRY_AFTER_MS) : this.#retryAfterMs;
    throw new FeedUnavailableError(reason, retryAfterMs, true);
  }

  #bodyOf(response: Response): Promise<unknown> {
    return response.json().catch((error: Error) => {
      throw this.#failure(`the response of ${response.url} is incomplete`, error);
    });
  }

  async *#unlessBroken(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* body;
    } catch (error) {
      throw this.#failure('the transfer broke off', error as Error);
    }
  }

  #failure(what: string, { message, cause }: Error): Error {
    this.#signal.throwIfAborted();
    const reason = cause instanceof Error ? cause.message : message;
    return new FeedUnavailableError(`${what}: ${reason}`, this.#retryAfterMs, false);
  }
}

/** The change number in the `Link` header of an export. */
function continuation(response: Response): number {
  const link = response.headers.get('link') ?? '';
  const [, url] = /<([^>]*)>;\s*rel="?next"?/.exec(link) ?? [];
  const [, number] = CHANGE_NUMBER.exec(url ?? '') ?? [];
  if (number === undefined) throw unexpected(response);
  return Number(number);
}

const unexpected = ({ url }: Response): Error =>
  new Error(`${url} did not respond with changes or an export. Check --url`);

/** The detail of a problem document. */
async function detailOf(response: Response): Promise<string> {
  const problem = (await response.json().catch(() => undefined)) as
    | { detail?: unknown; title?: unknown }
    | undefined;
  const detail = problem?.detail ?? problem?.title;
  return typeof detail === 'string' ? `: ${detail}` : '';
}
