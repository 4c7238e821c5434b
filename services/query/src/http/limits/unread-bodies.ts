import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Limits the total size of the bodies that clients have not read yet. A body that several responses share
 * counts once. Above the limit, the service aborts the oldest responses to the client with the most unread
 * bytes, so one client cannot disconnect the others. Most clients read a body within moments. Source:
 * docs/decisions/0025-bounded-pages.md.
 */
export class UnreadBodies {
  readonly #maxBytes: number;
  readonly #onDisconnect: () => void;
  readonly #clientOf: (request: IncomingMessage) => string;
  /** The unread bodies in their order of arrival, oldest first. */
  readonly #bodies = new Map<ServerResponse, { body: Buffer; client: string }>();
  readonly #readers = new Map<Buffer, number>();
  #bytes = 0;

  /**
   * @param onDisconnect called for each response that the limit aborts
   * @param clientOf returns the client that sent a request, as the rate limit sees it
   */
  constructor(maxBytes: number, onDisconnect: () => void, clientOf: (request: IncomingMessage) => string) {
    this.#maxBytes = maxBytes;
    this.#onDisconnect = onDisconnect;
    this.#clientOf = clientOf;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Counts `body` until `response` is closed. A response that Node has already passed to the operating system
   * does not count.
   */
  add(body: Buffer, response: ServerResponse): void {
    if (response.destroyed || (response.writableEnded && response.socket?.writableLength === 0)) return;
    this.#bodies.set(response, { body, client: this.#clientOf(response.req) });
    const readers = this.#readers.get(body) ?? 0;
    this.#readers.set(body, readers + 1);
    if (readers === 0) this.#bytes += body.length;
    response.once('close', () => this.#remove(response));
    while (this.#bytes > this.#maxBytes) {
      const slowest = this.#oldestOfLargestClient(response);
      if (!slowest) return;
      this.#remove(slowest);
      this.#onDisconnect();
      slowest.destroy();
    }
  }

  /** Returns the oldest response, apart from `newest`, to the client with the most unread bytes. */
  #oldestOfLargestClient(newest: ServerResponse): ServerResponse | undefined {
    const bytesOf = new Map<string, number>();
    for (const { body, client } of this.#bodies.values())
      bytesOf.set(client, (bytesOf.get(client) ?? 0) + body.length);
    let [found, most]: [ServerResponse | undefined, number] = [undefined, -1];
    for (const [response, { client }] of this.#bodies) {
      const bytes = bytesOf.get(client) ?? 0;
      if (response !== newest && bytes > most) [found, most] = [response, bytes];
    }
    return found;
  }

  #remove(response: ServerResponse): void {
    const body = this.#bodies.get(response)?.body;
    if (!body || !this.#bodies.delete(response)) return;
    const readers = (this.#readers.get(body) ?? 0) - 1;
    if (readers > 0) this.#readers.set(body, readers);
    else {
      this.#readers.delete(body);
      this.#bytes -= body.length;
    }
  }
}
